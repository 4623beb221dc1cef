/**
 * Snapshots of a subject, taken through the object and reduced to observations by `src/inspect`. Each function
 * returns the record to append; an error becomes a record that says so.
 */
import { createHash } from "node:crypto";
import { inspectTranscript } from "../inspect/messages.ts";
import { inspectLog } from "../inspect/session-log.ts";
import type { SubjectLink } from "../link/subject-link.ts";
import type { Via } from "../trace/observations.ts";
import type { RecordDraft } from "../trace/records.ts";
import { errorText } from "./recorder.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

type When = RecordDraft<"snapshot.log">["when"];

/** Reads the log on from a cursor, or whole. `losing`: as a recorder that misses some of it. */
export async function snapshotLog(
  subject: SubjectLink,
  when: When,
  losing: boolean,
  after: number | null = null,
): Promise<RecordDraft<"snapshot.log">> {
  const base = { source: "controller", type: "snapshot.log", how: "object", when, after } as const;
  try {
    const { offered, session, items, complete, first = 0 } = await subject.log(after);
    const observed = inspectLog(losing ? withoutMiddle(items) : items, { after, first, hash: sha256 });
    return {
      ...base,
      offered,
      session,
      ...observed,
      error: complete ? null : "the read stopped at the item limit",
    };
  } catch (error) {
    const nothing = { events: [], synced: null, gaps: [], duplicates: [], unreadable: 0 };
    return { ...base, offered: true, session: "unknown", ...nothing, error: errorText(error) };
  }
}

export async function snapshotTranscript(
  subject: SubjectLink,
  when: When,
  reading: Via = "history",
): Promise<RecordDraft<"snapshot.transcript">> {
  const base = { source: "controller", type: "snapshot.transcript", how: "object", when } as const;
  try {
    const { session, via, messages, pending } = await subject.transcript(reading);
    const observed = { session, messages: inspectTranscript(messages, sha256), pending, error: null };
    return { ...base, ...observed, ...(via === undefined ? {} : { via }) };
  } catch (error) {
    const nothing = { session: "unknown", messages: [], pending: [], error: errorText(error) };
    // Only a harness with several readings is asked for another than its history.
    return { ...base, ...nothing, ...(reading === "history" ? {} : { via: reading }) };
  }
}

/** `statements`: keep those that made the tables, which are long and the same at every reading. */
export async function snapshotSchema(
  subject: SubjectLink,
  when: When,
  { statements = false } = {},
): Promise<RecordDraft<"snapshot.schema">> {
  const base = { source: "controller", type: "snapshot.schema", how: "object", when } as const;
  try {
    const schema = await subject.schema();
    if (statements) return { ...base, ...schema };
    const tables = schema.tables.map(({ statement: _, ...table }) => table);
    const indexes = schema.indexes.map(({ statement: _, ...index }) => index);
    return { ...base, ...schema, tables, indexes };
  } catch (error) {
    return { ...base, tables: [], indexes: [], error: errorText(error) };
  }
}

export async function snapshotJobs(subject: SubjectLink, when: When): Promise<RecordDraft<"snapshot.jobs">> {
  const base = { source: "controller", type: "snapshot.jobs", how: "object", when } as const;
  try {
    return { ...base, ...(await subject.jobs()), alarmUnknown: false };
  } catch (error) {
    return { ...base, jobs: [], alarmAt: null, claims: [], alarmUnknown: true, error: errorText(error) };
  }
}

/** What a recorder that blinked would have seen: the items without their middle third. Used by sabotaged trials only. */
function withoutMiddle(items: readonly unknown[]): unknown[] {
  const third = Math.ceil(items.length / 3);
  return items.filter((_, index) => index < third || index >= 2 * third);
}
