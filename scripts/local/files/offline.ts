/**
 * Reads a Durable Object's storage from its files, through the same inspectors as through the object, without
 * waking it. Reading through the object starts recovery; this does not, and may be done in the quiet interval.
 *
 * An error is part of the observation. Leaves to others: where the runtime keeps its files (local-runtime.ts).
 */
import { join } from "node:path";
import { LAYOUTS } from "../../../src/harnesses/index.ts";
import {
  inspectJobs,
  inspectLog,
  inspectSchema,
  inspectTranscript,
  type JobsInspection,
  joinErrors,
  type LogInspection,
  type Query,
  readStoredLog,
  readStoredMessages,
  type SchemaInspection,
  undecodableRows,
} from "../../../src/inspect/index.ts";
import type { MessageObservation, UndecodableRow } from "../../../src/trace/index.ts";
import { sha256, withCopiedDatabase } from "./copied-database.ts";
import { missingLog, type WriteAheadLog } from "./write-ahead-log.ts";

/** In every database that holds an OpenCode session. */
const SESSION_TABLE = "opencode_event";

/** One object of a local runtime, by where Miniflare and workerd keep it. */
export type StoredObject = {
  /** The runtime's `resourcePersistencePath`. */
  readonly persistDir: string;
  readonly worker: string;
  readonly className: string;
  /** The object's id as hexadecimal text. */
  readonly objectId: string;
};

/** The database of one object. */
export function databasePath({ persistDir, worker, className, objectId }: StoredObject): string {
  return join(persistDir, "do", `${worker}-${className}`, `${objectId}.sqlite`);
}

type OfflineInspection = {
  readonly schema: SchemaInspection & { readonly undecodable: UndecodableRow[] };
  readonly jobs: JobsInspection;
};

/** What each layout decodes of its tables. */
const ROW_LAYOUTS = LAYOUTS.flatMap(({ rows = [] }) => rows);

/** Tables and indexes, and the rows that no known layout can decode. */
export function inspectTables(query: Query): OfflineInspection["schema"] {
  return { ...inspectSchema(query, sha256), undecodable: undecodableRows(query, ROW_LAYOUTS) };
}

/** Tables, jobs and claims of a database file. Never throws for what is wrong with the file. */
export async function inspectDatabaseFile(path: string): Promise<OfflineInspection> {
  return await inspectCopy(path, inspectDatabase);
}

/** All of it, of one moment. A session is null where the file holds none of OpenCode's tables. */
export async function inspectObjectFile(
  path: string,
  session: string,
): Promise<OfflineInspection & { readonly session: OfflineSession | null }> {
  return await inspectCopy(path, (query, log) => {
    const database = inspectDatabase(query, log);
    const hasSession = database.schema.tables.some(({ name }) => name === SESSION_TABLE);
    return { ...database, session: hasSession ? inspectSession(query, log, session) : null };
  });
}

function inspectDatabase(query: Query, log: WriteAheadLog): OfflineInspection {
  const schema = inspectTables(query);
  const { notes = [], ...jobs } = inspectJobs(query, LAYOUTS, { now: Date.now() });
  const said = log.log === "none" ? [...notes, log.sentence] : notes;
  return {
    schema: { ...schema, error: joinErrors([schema.error, findDamage(query), missingLog(log)]) },
    jobs: {
      ...jobs,
      ...(said.length === 0 ? {} : { notes: said }),
      error: joinErrors([jobs.error, missingLog(log)]),
    },
  };
}

type OfflineSession = {
  readonly log: LogInspection & { readonly error: string | null };
  readonly transcript: { readonly messages: MessageObservation[]; readonly error: string | null };
};

/** Log and transcript of one session of a database file. Never throws for what is wrong with the file. */
export async function inspectSessionFile(path: string, session: string): Promise<OfflineSession> {
  return await inspectCopy(path, (query, log) => inspectSession(query, log, session));
}

function inspectSession(query: Query, file: WriteAheadLog, session: string): OfflineSession {
  const log = readStoredLog(query, session);
  const messages = readStoredMessages(query, session);
  return {
    log: {
      ...inspectLog(log.items, { after: null, hash: sha256 }),
      error: joinErrors([log.error, missingLog(file)]),
    },
    transcript: {
      messages: inspectTranscript(messages.items, sha256),
      error: joinErrors([messages.error, missingLog(file)]),
    },
  };
}

type AlarmInspection = {
  /** When the alarm is set for, in ms; null when none is set, or when it is unknown. */
  readonly alarmAt: number | null;
  readonly alarmUnknown: boolean;
  readonly error: string | null;
};

/** The alarm, which workerd keeps for all objects of a class in one file beside theirs, in nanoseconds. */
export async function readAlarm(object: StoredObject): Promise<AlarmInspection> {
  const path = join(object.persistDir, "do", `${object.worker}-${object.className}`, "metadata.sqlite");
  try {
    return await withCopiedDatabase(path, (query, log) => {
      const missing = missingLog(log);
      if (missing !== null) return unknownAlarm(missing);
      const [row] = query("SELECT scheduled_time FROM _cf_ALARM WHERE actor_id = ?", object.objectId);
      if (row === undefined) return { alarmAt: null, alarmUnknown: false, error: null };
      const at = row.scheduled_time;
      if (typeof at !== "bigint" && typeof at !== "number")
        return unknownAlarm(`scheduled_time is of type ${typeof at}`);
      return { alarmAt: Number(BigInt(at) / 1_000_000n), alarmUnknown: false, error: null };
    });
  } catch (error) {
    return unknownAlarm(error instanceof Error ? error.message : String(error));
  }
}

function unknownAlarm(error: string): AlarmInspection {
  return { alarmAt: null, alarmUnknown: true, error };
}

/** A file that cannot be copied or opened is inspected as one in which every query fails. */
async function inspectCopy<T>(path: string, inspect: (query: Query, log: WriteAheadLog) => T): Promise<T> {
  try {
    return await withCopiedDatabase(path, inspect);
  } catch (error) {
    const unreadable = () => {
      throw error;
    };
    return inspect(unreadable, { log: "beside" });
  }
}

/** What SQLite itself finds wrong with the file: counts alone may succeed on a damaged one. */
function findDamage(query: Query): string | null {
  try {
    const findings = [...query("PRAGMA quick_check(5)")].flatMap((row) => Object.values(row)).map(String);
    return findings.join() === "ok" ? null : `damaged: ${findings.join("; ")}`.slice(0, 2_000);
  } catch (error) {
    return `cannot be checked: ${error instanceof Error ? error.message : String(error)}`;
  }
}
