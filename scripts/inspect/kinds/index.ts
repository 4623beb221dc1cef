/** What can be inspected. One more is a file beside this one, and a line here. */
import type { InspectKind } from "../inspect-kind.ts";
import { jobsKind } from "./jobs-kind.ts";
import { logKind } from "./log-kind.ts";
import { schemaKind } from "./schema-kind.ts";

/** Gives each kind to `use` by itself: their readings have types of their own. */
export function forEachKind(use: <R>(kind: InspectKind<R>) => void): void {
  use(schemaKind);
  use(logKind);
  use(jobsKind);
}
