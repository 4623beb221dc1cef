/**
 * What lies in the server's database of one trial, read from a copy while nobody speaks to the server: what it owes (which a
 * process can owe to nobody's alarm), the transcript, the log where one is kept of the session, and the schema.
 */
import { LAYOUTS } from "../../../src/harnesses/index.ts";
import {
  inspectJobs,
  inspectLog,
  inspectTranscript,
  joinErrors,
  notBegun,
  readOldInputs,
  readOldLog,
  readOldMessages,
} from "../../../src/inspect/index.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { sha256, withCopiedDatabase } from "../files/copied-database.ts";
import { inspectTables } from "../files/offline.ts";
import { missingLog } from "../files/write-ahead-log.ts";

/** Where a session lies; `keepsLog`: whether the server keeps a log of it. */
export type StoredServerSession = {
  readonly database: string;
  readonly session: string | null;
  readonly keepsLog: boolean;
  /** Ids of each operation's prompts. */
  readonly prompts: Readonly<Record<string, readonly string[]>>;
};

export async function lookAtServer(
  stored: StoredServerSession,
  when: RecordDraft<"snapshot.jobs">["when"],
): Promise<RecordDraft[]> {
  const base = { source: "cli", how: "offline", when } as const;
  const { session } = stored;
  return await withCopiedDatabase(stored.database, (query, file) => {
    const missing = missingLog(file);
    const owed = inspectJobs(query, LAYOUTS, { now: Date.now() });
    const jobs: RecordDraft = {
      ...base,
      type: "snapshot.jobs",
      ...owed,
      error: joinErrors([owed.error, missing]),
      alarmAt: null,
      alarmUnknown: false,
    };
    const schema: RecordDraft = { ...base, type: "snapshot.schema", ...inspectTables(query) };
    if (session === null) return [jobs, schema];
    const messages = readOldMessages(query, session);
    const transcript: RecordDraft = {
      ...base,
      type: "snapshot.transcript",
      session,
      messages: inspectTranscript(messages.items, sha256),
      pending: notBegun(readOldInputs(query, session), stored.prompts),
      error: joinErrors([messages.error, missing]),
    };
    const { items, error } = readOldLog(query, session);
    const read = inspectLog(items, { after: null, hash: sha256 });
    const log: RecordDraft = {
      ...base,
      type: "snapshot.log",
      session,
      offered: true,
      after: null,
      ...read,
      error: joinErrors([error, missing]),
    };
    return stored.keepsLog ? [jobs, log, transcript, schema] : [jobs, transcript, schema];
  });
}
