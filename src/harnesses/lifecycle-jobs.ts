/** The job queue of the `agents` Lifecycle (0.32), which all of its harnesses are woken by. `time` is in ms. */
import { asNumber, asText, columnsOf, type Layout, type Reader, type Row } from "../inspect/index.ts";
import type { JobObservation } from "../trace/index.ts";

const JOBS = "cf_agents_jobs";

export const lifecycleJobs: Layout = {
  name: "lifecycle-jobs",
  owns: (table) => table === JOBS,
  jobs: (reader) => reader.rows(JOBS).map((row) => jobOf(row, reader)),
};

function jobOf(row: Row, { complain }: Reader): JobObservation {
  const id = asText(row.id, 300);
  const fn = asText(row.fn, 300);
  const dueAt = asNumber(row.time);
  const running = asNumber(row.running);
  if (id === null || fn === null || dueAt === null || running === null)
    complain(`a row of ${JOBS} lacks id, fn, time or running; its columns are ${columnsOf(row)}`);
  return {
    id: id ?? "(unreadable)",
    fn: fn ?? "(unreadable)",
    dueAt,
    running: running === null ? null : running !== 0,
  };
}
