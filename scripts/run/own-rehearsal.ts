/**
 * One trial of a user's Worker before the others, in which nothing is lost: what keeps it from doing its work at all is a
 * mistake in what she wrote, and is said in one sentence before anything is measured.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalRecord } from "../../src/trace/records.ts";
import { ofType } from "../../src/trace/records.ts";
import { UserError } from "../base/user-error.ts";
import { readTrace } from "../stored/read-trace.ts";
import { executeRun } from "./execute.ts";
import type { ExecuteOptions, RunPlan } from "./run-plan.ts";

/** Nothing is lost, so no alarm is owed that the witness would have to vouch for. */
const WITNESS_MS = 1_000;
const OPERATION_MS = 25_000;
const SETTLE_MS = 200;

/** @throws UserError with the first thing that keeps it from being tried. */
export async function rehearse(plan: RunPlan, options: ExecuteOptions): Promise<void> {
  const [first] = plan.specs;
  if (first === undefined) return;
  const run = `${plan.run.slice(0, 48)}-rehearsal`;
  const spec = {
    ...first,
    run,
    trial: `${run}-001`,
    operationId: `${run}-001-operation`,
    probeId: `${run}-001-probe`,
    condition: "rehearsal",
    slot: "default",
    resetDelayMs: 0,
    factors: {
      ...first.factors,
      ...({ point: "none", reset: "none", resets: 0, heldAttempt: "dropped", settleMs: SETTLE_MS } as const),
    },
    bounds: { ...first.bounds, canaryMs: WITNESS_MS, operationMs: OPERATION_MS },
  };
  const tracesDir = await mkdtemp(join(tmpdir(), "recovery-kit-rehearsal-"));
  try {
    const { traces, cancelled } = await executeRun(
      { ...plan, run, specs: [spec] },
      { ...options, tracesDir },
    );
    const [path] = traces;
    if (cancelled || path === undefined) return;
    const complaint = complaintOf(readTrace(path).records);
    if (complaint !== null) throw new UserError(`before the first trial: ${complaint}`);
  } finally {
    await rm(tracesDir, { recursive: true, force: true });
  }
}

/** What is wrong, as far as the trace tells; null when the work was done. */
export function complaintOf(records: readonly JournalRecord[]): string | null {
  const submitted = ofType(records, "operation.submitted")[0];
  if (submitted === undefined) {
    const [ended] = ofType(records, "trial.ended");
    return `your object could not be reached: ${ended?.detail ?? "it did not answer"}`;
  }
  if (submitted.error !== null) return `client.submit failed: ${submitted.error}`;
  const [refusedModel] = ofType(records, "model.refused");
  if (refusedModel !== undefined) return `the model refused a request: ${refusedModel.reason}`;
  const refused = ofType(records, "request.refused");
  if (ofType(records, "attempt.received").length === 0) {
    const seen = [...new Set(refused.map(({ request }) => request))];
    return seen.length === 0
      ? "no request left your Worker: nothing in 'destinations' was ever asked for"
      : `no request matches 'destinations'; refused were: ${seen.slice(0, 5).join(", ")}`;
  }
  const [settled] = ofType(records, "operation.settled");
  if (settled === undefined) {
    const [expired] = ofType(records, "wait.expired");
    return `client.result did not come to an end: ${expired?.waitedFor ?? "it was not asked"}`;
  }
  if (settled.status !== "done")
    return `client.result says that the work was not done, although nothing was lost: ${settled.reason ?? "no reason given"}`;
  const [probe] = ofType(records, "probe.submitted");
  if (probe?.error != null) return `later work could not be handed in: ${probe.error}`;
  return null;
}
