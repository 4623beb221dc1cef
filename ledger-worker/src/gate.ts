/**
 * The Worker in front of the objects: the admission check and the trial's id, before any object is named. Leaves
 * everything that a trial decides to its object (src/routes.ts).
 *
 * The object sees a caller go because the runtime then cancels this Worker's invocation, and with it the request to the
 * object. So nothing here may outlive the caller: no `waitUntil`, no listener on the signal that starts work.
 */
import { Hono } from "hono";
import { admit, answerError, answerNotFound, parseInput, parseTrialId } from "../../src/link/admission.ts";
import {
  ATTEMPT_BYTES_MAX,
  AWAIT_MS_MAX,
  type LedgerWork,
  NewsQuery,
  RECORD_BYTES_MAX,
} from "../../src/trace/protocol/ledger-protocol.ts";
import { boardOf } from "./board-of.ts";
import type { Env } from "./ledger-env.ts";
import { numberOf } from "./query.ts";
import { FAULT } from "./routes.ts";
import { workDone } from "./work-done.ts";

const ATTEMPTS = /^\/trials\/[^/]+\/attempts$/;

export const gate = new Hono<{ Bindings: Env }>();

gate.onError(answerError("ledger-failed", FAULT));
gate.notFound(answerNotFound);

gate.use(
  admit<{ Bindings: Env }>({
    secret: (c) => c.env.KIT_SECRET,
    bodyBytesMax: (c) => (ATTEMPTS.test(c.req.path) ? ATTEMPT_BYTES_MAX : RECORD_BYTES_MAX),
  }),
);

gate.get("/news", async (c) => {
  const { after, timeoutMs, ...rest } = c.req.query();
  const numbers = { after: numberOf(after, 0), timeoutMs: numberOf(timeoutMs, AWAIT_MS_MAX) };
  const query = parseInput(NewsQuery, { ...rest, ...numbers }, "query");
  return Response.json(await boardOf(c.env).read(query));
});

gate.get("/work", () => Response.json(workDone satisfies LedgerWork));

gate.on(
  ["GET", "PUT", "POST"],
  ["/trials/:trial", "/trials/:trial/:part", "/trials/:trial/:part/:id"],
  async (c) => {
    workDone.requests += 1;
    const ledger = c.env.TRIAL_LEDGER.getByName(parseTrialId(c.req.param("trial")));
    return ledger.fetch(
      new Request(c.req.url, {
        method: c.req.method,
        // The secret stays here: the object never sees it.
        headers: { "content-type": c.req.header("content-type") ?? "application/json" },
        body: c.req.raw.body,
      }),
    );
  },
);
