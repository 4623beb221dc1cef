/**
 * Whether the object has forgotten the session because somebody had it deleted. What the harness says of it decides nothing: the
 * rows of its session table do, as they were counted in its storage at the end.
 */
import type { JournalRecord } from "../trace/records.ts";
import { traitsOf } from "../trace/resets.ts";
import type { CaseFile } from "./case-file.ts";

/** What deleted the session's record; null where nothing did. */
export function deletionOf(file: CaseFile): JournalRecord | null {
  const act = file
    .of("operator.acted")
    .find((one) => one.act === "delete-session-record" && one.outcome === "done");
  const lost = file.resets.find(({ performed: { reset } }) => isDeletion(reset));
  return act ?? lost?.performed ?? null;
}

/** The same, where no session lies in storage at the end either. */
export function sessionGone(file: CaseFile): JournalRecord | null {
  return sessionRows(file) === 0 ? deletionOf(file) : null;
}

/** How many sessions lie in storage at the end; null where that was not counted. */
export function sessionRows({ collect: { schema } }: CaseFile): number | null {
  if (schema === null || schema.error !== null) return null;
  return schema.tables.find(({ name }) => name.split("_").at(-1) === "sessions")?.rows ?? null;
}

function isDeletion(reset: JournalRecord<"reset.performed">["reset"]): boolean {
  return traitsOf(reset)?.takes === "session";
}
