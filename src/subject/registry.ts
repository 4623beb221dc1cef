/** Which Durable Object class serves which subject. A new subject is one file and one line here. */
import type { Subject } from "../trace/levels.ts";
import type { SubjectEnv } from "./env.ts";

const NAMESPACES: Record<Subject, (env: SubjectEnv) => DurableObjectNamespace> = {
  opencode: (env) => env.OPENCODE_SUBJECT,
  "canary-replay": (env) => env.CANARY_REPLAY_SUBJECT,
  "canary-claim": (env) => env.CANARY_CLAIM_SUBJECT,
  "canary-sleeper": (env) => env.CANARY_SLEEPER_SUBJECT,
  "canary-amnesia": (env) => env.CANARY_AMNESIA_SUBJECT,
};

/** The object of `trial` for `subject`: one object per trial, addressed by the trial's id. */
export function subjectObject(env: SubjectEnv, subject: Subject, trial: string): DurableObjectStub {
  return NAMESPACES[subject](env).getByName(trial);
}
