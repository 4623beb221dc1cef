/**
 * Where the object of a subject in a trial is found: which binding of `wrangler.jsonc`, and under which name. All harnesses
 * share one class and all canaries another; which of them an object is, its name says.
 */
import { subjectTraits } from "../harnesses/index.ts";
import type { Subject } from "../trace/levels.ts";

/** Null for a subject that is no Durable Object of this Worker. */
export function subjectBindingName(subject: Subject): "HARNESS_SUBJECT" | "CANARY_SUBJECT" | null {
  const { runs, canary } = subjectTraits(subject);
  if (runs !== "object") return null;
  return canary ? "CANARY_SUBJECT" : "HARNESS_SUBJECT";
}

/** One object per trial. */
export function objectName(subject: Subject, trial: string): string {
  return `${subject}/${trial}`;
}

/** @throws for an object that was not addressed by such a name. */
export function parseObjectName({ name }: { readonly name?: string }): {
  readonly subject: Subject;
  readonly trial: string;
} {
  const [subject, trial, ...more] = name?.split("/") ?? [];
  if (subject === undefined || trial === undefined || more.length > 0)
    throw new Error(`'${name ?? ""}' is not the name of a subject's object`);
  return { subject, trial };
}
