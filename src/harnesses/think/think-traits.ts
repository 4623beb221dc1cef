/**
 * `ThinkHarness` of `agents` 0.32: operations in the shared harness store, transcripts in the tables of Sessions, model
 * output under way in those of Streams. A session is under way while one of its operations is `running`; the store has
 * no time of that, and counts the interruptions without progress in the operation's `meta`.
 */
import { asCount, asObject, columnsOf, type Layout, type Reader, type Row } from "../../inspect/index.ts";
import type { ClaimObservation } from "../../trace/index.ts";
import { lifecycleJobs } from "../lifecycle-jobs.ts";
import type { SubjectTraits } from "../subject-traits.ts";

const STORE = "cf_think_harness_store_";
const OPERATIONS = `${STORE}operations`;
const STATUSES = ["queued", "running", "done", "unanswered"] as const;

const thinkStore: Layout = {
  name: "think",
  owns: (table) => table.startsWith(STORE) || /^cf_agents_(session_|streams$|stream_blocks$)/.test(table),
  claims: (reader) => {
    const open = reader.rows(OPERATIONS).filter((row) => isOpen(row, reader));
    const sessions = Map.groupBy(open, ({ session }) => String(session).slice(0, 200));
    return [...sessions].map(([session, rows]) => claimOf(session, rows, reader));
  },
};

export const think = {
  runs: "object",
  host: "none",
  canary: false,
  onDemand: false,
  variantOf: null,
  layouts: [lifecycleJobs, thinkStore],
} as const satisfies SubjectTraits;

/** The same harness, with a tool that it may run again by itself. */
export const thinkRerun = { ...think, variantOf: "think" } as const satisfies SubjectTraits;

/** A row that cannot be read counts as open, so that nothing owed is overlooked. */
function isOpen(row: Row, { complain }: Reader): boolean {
  if (typeof row.session !== "string" || !STATUSES.some((status) => status === row.status)) {
    complain(`a row of ${OPERATIONS} lacks session or a known status; its columns are ${columnsOf(row)}`);
    return true;
  }
  return row.status === "queued" || row.status === "running";
}

function claimOf(session: string, rows: readonly Row[], { complain }: Reader): ClaimObservation {
  const running = rows.find(({ status }) => status !== "queued");
  const resumeAttempts = running === undefined ? null : asCount(metaOf(running)?.interruptions);
  if (running !== undefined && resumeAttempts === null)
    complain(`meta of a running operation of session '${session}' does not count its interruptions`);
  return { session, claimedAt: null, resumeAttempts, held: running !== undefined };
}

function metaOf({ meta }: Row): Record<string, unknown> | null {
  try {
    return typeof meta === "string" ? asObject(JSON.parse(meta)) : null;
  } catch {
    return null;
  }
}
