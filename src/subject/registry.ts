/** The object of a subject in a trial. Which class that is, `wrangler.jsonc` says by the name of its binding. */
import type { Subject } from "../trace/levels.ts";
import { subjectBindingName } from "./binding.ts";
import type { SubjectEnv } from "./subject-env.ts";

/**
 * The object of `trial` for `subject`: one object per trial, addressed by the trial's id. Null for a subject that is no
 * Durable Object of this Worker.
 */
export function subjectObject(env: SubjectEnv, subject: Subject, trial: string): DurableObjectStub | null {
  const namespace: unknown = Reflect.get(env, subjectBindingName(subject));
  return isNamespace(namespace) ? namespace.getByName(trial) : null;
}

function isNamespace(value: unknown): value is DurableObjectNamespace {
  return typeof value === "object" && value !== null && "getByName" in value;
}
