/**
 * The subject Worker's entry: authenticates, validates ids, and passes the request to the trial's object. Knows
 * nothing of experiments or expected outcomes.
 */
import { Hono } from "hono";
import { CANARY_CLASSES, HARNESS_CLASSES } from "../harnesses/drivers.ts";
import { KnownSubject } from "../harnesses/index.ts";
import { admit, answerError, answerNotFound, parseTrialId, Refusal } from "../link/admission.ts";
import { OwnerRequest } from "../trace/protocol/container-protocol.ts";
import { OWNER_KEY_HEADER } from "../trace/protocol/subject-protocol.ts";
import { chosenByName } from "./object-class.ts";
import { objectName, subjectBindingName } from "./object-name.ts";
import type { SubjectEnv } from "./subject-env.ts";

export { AlarmWitness } from "./alarm-witness.ts";

/** What is under trial, and beside it what is broken on purpose. */
export const HarnessSubject = chosenByName(HARNESS_CLASSES);
export const CanarySubject = chosenByName(CANARY_CLASSES);

/** Largest request body, in bytes. */
const BODY_BYTES_MAX = 64 * 1024;

const app = new Hono<{ Bindings: SubjectEnv }>();

app.onError(answerError("subject-failed"));
app.notFound(answerNotFound);

app.use(
  admit<{ Bindings: SubjectEnv }>({ secret: (c) => c.env.KIT_SECRET, bodyBytesMax: () => BODY_BYTES_MAX }),
);

app.all("/subjects/:subject/trials/:trial/:request", (c) => {
  const subject = KnownSubject.safeParse(c.req.param("subject"));
  if (!subject.success)
    throw new Refusal(
      "subject-unknown",
      `subject '${c.req.param("subject")}' is none of ${KnownSubject.options.join(", ")}`,
    );
  const trial = parseTrialId(c.req.param("trial"));
  const binding = subjectBindingName(subject.data);
  if (binding === null)
    throw new Refusal("subject-unknown", `subject '${subject.data}' is no Durable Object of this Worker`);
  return forward(c.env[binding].getByName(objectName(subject.data, trial)), c.req.raw);
});

// Of a container, past its object: who may is for whoever runs it to see.
app.post("/containers/:trial/:request", async (c) => {
  const trial = parseTrialId(c.req.param("trial"));
  const asked = OwnerRequest.safeParse(c.req.param("request"));
  if (!asked.success || c.env.SUPERVISOR === undefined)
    throw new Refusal("route-unknown", "no container is reached here");
  const key = c.req.header(OWNER_KEY_HEADER);
  return c.env.SUPERVISOR.fetch(`http://supervisor.invalid/owned/${trial}/${asked.data}`, {
    method: "POST",
    ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
  });
});

app.on("POST", ["/witnesses/:trial", "/witnesses/:trial/halt"], (c) =>
  forward(c.env.ALARM_WITNESS.getByName(parseTrialId(c.req.param("trial"))), c.req.raw),
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
