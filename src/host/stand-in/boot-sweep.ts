/**
 * The boot sweep: host contract, section 9.1. Runs in the background after the host is returned, over the sessions
 * whose claim an earlier process left behind. Dying anywhere in here leaves the same claim for the next boot.
 */
import type { Database } from "./database.ts";
import type { Executions } from "./session-execution.ts";
import type { Host } from "./stand-in-host.ts";

/** Ten resumes are allowed for one turn; the eleventh boot ends it. */
const RESUME_LIMIT = 10;

const NOTICE =
  "The server restarted while you were working. Some of your tool calls may have been interrupted. " +
  "Go on with the task and do not redo what is already finished.";

export async function sweep(host: Host, executions: Executions, db: Database): Promise<void> {
  if (host.internals.mutations.has("noBootSweep")) return;
  const claims = host.sessions.claimed();
  const topLevel = claims.filter((claim) => claim.parentID === null && !executions.isActive(claim.id));
  for (const { id } of topLevel) executions.reserve(id);
  for (const child of claims.filter((claim) => claim.parentID !== null)) {
    // Children are not resumed on their own, and leave no idle marker.
    await db.transaction(() => host.sessions.release(child.id));
  }
  await Promise.all(
    topLevel.map(async ({ id }) => {
      let outcome: Outcome = "given-up";
      try {
        outcome = await resume(host, db, id);
      } finally {
        executions.release(id, outcome);
      }
    }),
  );
}

type Outcome = "resumed" | "given-up";

async function resume(host: Host, db: Database, sessionID: string): Promise<Outcome> {
  const { log, sessions, internals, life } = host;
  life.requireNotHalted();
  const attempts = internals.mutations.has("counterNeverIncremented")
    ? sessions.attempts(sessionID)
    : await db.transaction(() => sessions.countAttempt(sessionID));
  if (attempts > RESUME_LIMIT) {
    const message = `The execution was interrupted ${attempts} times and will not be resumed`;
    await log.publish("session.execution.failed", { sessionID, error: { type: "aborted", message } }, () =>
      sessions.release(sessionID),
    );
    return "given-up";
  }
  await log.publish("session.synthetic", {
    sessionID,
    text: NOTICE,
    description: "Continuing after restart",
    metadata: { notice: "restart" },
  });
  return "resumed";
}
