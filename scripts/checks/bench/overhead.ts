/**
 * What the kit itself adds to a trial, phase by phase: everything but what was waited for on purpose (the quiet
 * interval, the settle window, the drawn delay before each reset). On the ledger's clock, from stored traces.
 *
 * It is the overhead under the load of that run: trials start together, and those of one process wait for each other
 * before it is reset.
 */
import { distributionOf } from "../../../src/summarize/distribution.ts";
import type { Distribution } from "../../../src/trace/counts.ts";
import { Phase } from "../../../src/trace/levels.ts";
import { type JournalRecord, ofType } from "../../../src/trace/records.ts";
import { readTrace } from "../../stored/read-trace.ts";

type Overhead = { readonly of: string; readonly ms: Distribution };

/** Over the completed trials; one that was cut short says nothing about a whole one. */
export function measureOverhead(paths: readonly string[]): Overhead[] {
  const trials = paths.map((path) => phasesOf(readTrace(path).records)).filter((one) => one !== null);
  const total = trials.map((phases) => [...phases.values()].reduce((sum, ms) => sum + ms, 0));
  const byPhase = Phase.options.map((phase) => ({
    of: phase,
    ms: distributionOf(trials.map((phases) => phases.get(phase) ?? "not-applicable")),
  }));
  return [{ of: "whole trial", ms: distributionOf(total) }, ...byPhase.filter(({ ms }) => ms.observed > 0)];
}

function phasesOf(records: readonly JournalRecord[]): Map<Phase, number> | null {
  const [first, last] = [records[0], records.at(-1)];
  if (first?.type !== "trial.started" || last?.type !== "trial.ended" || last.reason !== "completed")
    return null;
  const { factors, resetDelayMs } = first.spec;
  const resets = ofType(records, "reset.performed").length;
  const meant: Partial<Record<Phase, number>> = {
    settle: factors.settleMs,
    reset: resets * resetDelayMs,
    quiet: factors.quietMs,
  };
  const entered = ofType(records, "phase.entered");
  const phases = new Map<Phase, number>();
  entered.forEach(({ phase, at }, index) => {
    const spent = (entered[index + 1]?.at ?? last.at) - at;
    phases.set(phase, (phases.get(phase) ?? 0) + Math.max(0, spent - (meant[phase] ?? 0)));
  });
  return phases;
}
