/**
 * The Worker in front of the objects: secret, trial id, body size, in this order, before any object is named.
 * Leaves everything that a trial decides to its object (src/routes.ts).
 *
 * The object sees a caller go because the runtime then cancels this Worker's invocation, and with it the request to the
 * object. So nothing here may outlive the caller: no `waitUntil`, no listener on the signal that starts work.
 */
import { Hono } from "hono";
import { TrialId } from "../../src/trace/index.ts";
import { ATTEMPT_BYTES_MAX, RECORD_BYTES_MAX } from "../../src/trace/protocol/ledger-protocol.ts";
import { verifyBearer } from "./auth.ts";
import { readBody } from "./body.ts";
import type { Env } from "./ledger-env.ts";
import { answerError, Refusal } from "./refusal.ts";

export const gate = new Hono<{ Bindings: Env }>();

gate.onError((error) => answerError(error));
gate.notFound(() => unknownRoute().toResponse());

gate.use(async (c, next) => {
  verifyBearer(c.env.KIT_SECRET, c.req.header("authorization"));
  await next();
});

gate.on(["GET", "PUT", "POST"], ["/trials/:trial", "/trials/:trial/:part"], async (c) => {
  const trial = TrialId.safeParse(c.req.param("trial"));
  if (!trial.success)
    throw new Refusal("trial-id-invalid", `trial: ${trial.error.issues[0]?.message ?? "invalid"}.`);

  const part: string | undefined = c.req.param("part");
  const bytesMax = part === "attempts" ? ATTEMPT_BYTES_MAX : RECORD_BYTES_MAX;
  const body = await readBody(c.req.raw, bytesMax);

  const url = new URL(c.req.url);
  const ledger = c.env.TRIAL_LEDGER.get(c.env.TRIAL_LEDGER.idFromName(trial.data));
  return ledger.fetch(
    new Request(`https://ledger/${trial.data}/${encodeURIComponent(part ?? "")}${url.search}`, {
      method: c.req.method,
      // The secret stays here: the object never sees it.
      headers: { "content-type": c.req.header("content-type") ?? "application/json" },
      body,
    }),
  );
});

function unknownRoute(): Refusal {
  return new Refusal("route-unknown", "No such route; see src/trace/protocol/ledger-protocol.ts.");
}
