/**
 * `ContainerHarness` of `agents` 0.32: sessions, operations and transcript in the shared harness store, under its own prefix.
 * A session is under way while one of its operations is `queued` or `running`; the store does not count how often one was
 * taken up again.
 */
import { columnsOf, type Layout, type Reader, type Row } from "../../inspect/index.ts";
import type { ClaimObservation } from "../../trace/index.ts";
import { lifecycleJobs } from "../lifecycle-jobs.ts";
import type { SubjectTraits } from "../subject-traits.ts";

const STORE = "container_";
const OPERATIONS = `${STORE}operations`;
const STATUSES = ["queued", "running", "done", "unanswered"] as const;

const containerStore: Layout = {
  name: "container",
  owns: (table) => [OPERATIONS, `${STORE}sessions`, `${STORE}log`].includes(table),
  claims: (reader) => {
    const open = reader.rows(OPERATIONS).filter((row) => isOpen(row, reader));
    const sessions = Map.groupBy(open, ({ session }) => String(session).slice(0, 200));
    return [...sessions].map(
      ([session, rows]): ClaimObservation => ({
        session,
        claimedAt: null,
        resumeAttempts: null,
        held: rows.some(({ status }) => status !== "queued"),
      }),
    );
  },
};

export const container = {
  runs: "object",
  host: "none",
  container: "process",
  // A daemon, and a process for each turn.
  weight: 3,
  canary: false,
  onDemand: false,
  variantOf: null,
  layouts: [lifecycleJobs, containerStore],
} as const satisfies SubjectTraits;

/** The same harness, which runs an operation again when its container was lost. */
export const containerRetry = { ...container, variantOf: "container" } as const satisfies SubjectTraits;

/** The same harness, which stops its container soon after the last work. */
export const containerIdle = {
  ...container,
  variantOf: "container",
  // Longer than a look at a session takes on a busy machine.
  idleStopMs: 12_000,
} as const satisfies SubjectTraits;

/** A canary whose work is done in a container. */
export const containerCanary = { ...container, canary: true } as const satisfies SubjectTraits;

/** A row that cannot be read counts as open, so that nothing owed is overlooked. */
function isOpen(row: Row, { complain }: Reader): boolean {
  if (typeof row.session !== "string" || !STATUSES.some((status) => status === row.status)) {
    complain(`a row of ${OPERATIONS} lacks session or a known status; its columns are ${columnsOf(row)}`);
    return true;
  }
  return row.status === "queued" || row.status === "running";
}
