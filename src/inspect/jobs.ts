/**
 * What the object is due to do, and which sessions it holds claimed: the jobs of the `agents` Lifecycle and the
 * claims of OpenCode's session table. Both layouts belong to other packages and change with them, so that
 * anything unexpected is said in `error` and never thrown. Reads only.
 */
import type { ClaimObservation, JobObservation } from "../trace/index.ts";
import { asCount, asNumber, asText, joinErrors, type Query, quoteName, readRows } from "./foreign.ts";
import { LIST_TABLES } from "./schema.ts";

export type JobsInspection = {
  readonly jobs: JobObservation[];
  readonly claims: ClaimObservation[];
  readonly error: string | null;
};

/** Lifecycle's table in `agents` 0.32; `time` is in ms. */
export const JOBS_TABLE = "cf_agents_jobs";
/** OpenCode's session table under the harness's prefix. */
export const SESSIONS_TABLE = "opencode_session_v2";
/** The claim's column in published versions, and its name after a later migration. */
const CLAIM_COLUMNS = ["time_suspended", "execution_claimed_at"] as const;

/** Limit of a `snapshot.jobs` record. */
const ROWS_MAX = 1_000;

export function inspectJobs(query: Query): JobsInspection {
  const errors: string[] = [];
  const tables = readRows(query, LIST_TABLES);
  if (!tables.ok)
    return { jobs: [], claims: [], error: joinErrors([`cannot list the tables: ${tables.error}`]) };
  const names = new Set(tables.rows.map((row) => row.name));

  const read = (table: string): readonly Record<string, unknown>[] => {
    if (!names.has(table)) {
      errors.push(`there is no table ${table}`);
      return [];
    }
    const rows = readRows(query, `SELECT * FROM ${quoteName(table)} ORDER BY 1`);
    if (!rows.ok) {
      errors.push(`cannot read ${table}: ${rows.error}`);
      return [];
    }
    if (rows.rows.length > ROWS_MAX)
      errors.push(`${table} has ${rows.rows.length} rows, the first ${ROWS_MAX} are shown`);
    return rows.rows.slice(0, ROWS_MAX);
  };

  const jobs = read(JOBS_TABLE).map((row) => jobOf(row, errors));
  const claims = read(SESSIONS_TABLE).map((row) => claimOf(row, errors));
  return { jobs, claims, error: joinErrors([...new Set(errors)]) };
}

function jobOf(row: Record<string, unknown>, errors: string[]): JobObservation {
  const id = asText(row.id, 300);
  const fn = asText(row.fn, 300);
  const dueAt = asNumber(row.time);
  const running = asNumber(row.running);
  if (id === null || fn === null || dueAt === null || running === null)
    errors.push(`a row of ${JOBS_TABLE} lacks id, fn, time or running; its columns are ${columnsOf(row)}`);
  return {
    id: id ?? "(unreadable)",
    fn: fn ?? "(unreadable)",
    dueAt,
    running: running === null ? null : running !== 0,
  };
}

function claimOf(row: Record<string, unknown>, errors: string[]): ClaimObservation {
  const session = asText(row.id, 200);
  const column = CLAIM_COLUMNS.find((name) => name in row);
  const claimed = column === undefined ? undefined : row[column];
  const claimedAt = asNumber(claimed);
  const resumeAttempts = asCount(row.resume_attempts);
  if (session === null || column === undefined || resumeAttempts === null)
    errors.push(
      `a row of ${SESSIONS_TABLE} lacks id, ${CLAIM_COLUMNS.join(" or ")}, or resume_attempts; its columns are ${columnsOf(row)}`,
    );
  else if (claimed !== null && claimedAt === null)
    errors.push(`${column} of session ${session} is neither a number nor null`);
  return { session: session ?? "(unreadable)", claimedAt, resumeAttempts };
}

function columnsOf(row: Record<string, unknown>): string {
  return Object.keys(row).join(", ");
}
