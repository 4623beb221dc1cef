/**
 * The subject Worker's entry: authenticates, validates ids, and passes the request to the trial's object. Knows
 * nothing of experiments or expected outcomes.
 */
import { Hono } from "hono";
import { KnownSubject } from "../harnesses/index.ts";
import { admit, answerError, answerNotFound, parseTrialId, Refusal } from "../link/admission.ts";
import { subjectObject } from "./registry.ts";
import type { SubjectEnv } from "./subject-env.ts";

export { AiSdkSubject } from "./ai-sdk.ts";
export { AlarmCanary } from "./alarm-canary.ts";
export { CanaryAmnesiaSubject } from "./canaries/amnesia.ts";
export { CanaryClaimSubject } from "./canaries/claim.ts";
export { CanaryReplaySubject } from "./canaries/replay.ts";
export { CanarySleeperSubject } from "./canaries/sleeper.ts";
export { OpenCodeSubject } from "./opencode.ts";
export { ThinkSubject } from "./think.ts";
export { ThinkRerunSubject } from "./think-rerun.ts";

/** Largest request body, in bytes. */
const BODY_BYTES_MAX = 64 * 1024;

const app = new Hono<{ Bindings: SubjectEnv }>();

app.onError(answerError("subject-failed"));
app.notFound(answerNotFound);

app.use(
  admit<{ Bindings: SubjectEnv }>({ secret: (c) => c.env.KIT_SECRET, bodyBytesMax: () => BODY_BYTES_MAX }),
);

app.all("/subjects/:subject/trials/:trial/:operation", (c) => {
  const subject = KnownSubject.safeParse(c.req.param("subject"));
  if (!subject.success)
    throw new Refusal(
      "subject-unknown",
      `subject '${c.req.param("subject")}' is none of ${KnownSubject.options.join(", ")}`,
    );
  const object = subjectObject(c.env, subject.data, parseTrialId(c.req.param("trial")));
  if (object === null)
    throw new Refusal("subject-unknown", `subject '${subject.data}' is no Durable Object of this Worker`);
  return forward(object, c.req.raw);
});

app.post("/canaries/:trial", (c) =>
  forward(c.env.ALARM_CANARY.getByName(parseTrialId(c.req.param("trial"))), c.req.raw),
);

/** A lost object makes `fetch` throw; its exact error text is evidence, so it is passed on as an answer. */
async function forward(object: DurableObjectStub, request: Request): Promise<Response> {
  try {
    return await object.fetch(request);
  } catch (error) {
    throw new Refusal("object-lost", error instanceof Error ? error.message : String(error));
  }
}

export default app;
