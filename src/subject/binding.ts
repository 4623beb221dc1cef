/**
 * Which Durable Object binding of `wrangler.jsonc` serves which subject: by name, so that a further subject needs no
 * line of code here or in the local runtime.
 */
import type { Subject } from "../trace/levels.ts";

/** For example `THINK_RERUN_SUBJECT` for `think-rerun`. */
export function subjectBindingName(subject: Subject): string {
  return `${subject.toUpperCase().replaceAll("-", "_")}_SUBJECT`;
}
