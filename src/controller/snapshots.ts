/**
 * Snapshots of a subject, taken through the object and reduced to observations by `src/inspect`. Each function
 * returns the record to append; an error becomes a record that says so.
 */
import { createHash } from "node:crypto";
import { inspectTranscript } from "../inspect/messages.ts";
import { inspectLog } from "../inspect/session-log.ts";
import type { SubjectLink } from "../link/subject-link.ts";
import type { RecordDraft } from "../trace/records.ts";
import { errorText } from "./recorder.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

type When = RecordDraft<"snapshot.log">["when"];

export async function snapshotLog(
  subject: SubjectLink,
  when: When,
  losing: boolean,
): Promise<RecordDraft<"snapshot.log">> {
  const base = { source: "controller", type: "snapshot.log", how: "object", when, after: null } as const;
  try {
    const { offered, session, items, complete, first = 0 } = await subject.log(null);
    const observed = inspectLog(losing ? withoutMiddle(items) : items, { after: null, first, hash: sha256 });
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
): Promise<RecordDraft<"snapshot.transcript">> {
  const base = { source: "controller", type: "snapshot.transcript", how: "object", when } as const;
  try {
    const { session, messages, pending } = await subject.transcript();
    return { ...base, session, messages: inspectTranscript(messages, sha256), pending, error: null };
  } catch (error) {
    return { ...base, session: "unknown", messages: [], pending: [], error: errorText(error) };
  }
}

export async function snapshotSchema(
  subject: SubjectLink,
  when: When,
): Promise<RecordDraft<"snapshot.schema">> {
  const base = { source: "controller", type: "snapshot.schema", how: "object", when } as const;
  try {
    return { ...base, ...(await subject.schema()) };
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
