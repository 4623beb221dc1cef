/** Reset → activation, first progress, settled: what each trial says about them, and what it cannot say. */
import type { Verdict } from "../reconcile/verdict.ts";
import { takesHost } from "../trace/resets.ts";
import { targetTraits } from "../trace/targets.ts";
import { type Duration, distributionOf } from "./distribution.ts";
import type { ConditionSummary } from "./summary.ts";

export function summarizeTimings(verdicts: readonly Verdict[]): ConditionSummary["timings"] {
  return {
    resetToActivationMs: distributionOf(
      verdicts.map((one) => returned(one, one.timings.resetToActivationMs)),
    ),
    resetToProgressMs: distributionOf(verdicts.map((one) => returned(one, one.timings.resetToProgressMs))),
    resetToSettledMs: distributionOf(verdicts.map(settled)),
    wokeLateMs: distributionOf(verdicts.map(({ autonomous }) => autonomous.wokeLateMs ?? "not-applicable")),
  };
}

/** Only a host that was lost while it had work can be waited for. */
function returned(verdict: Verdict, ms: number | null): Duration {
  if (ms !== null) return ms;
  const lost = verdict.resets.some(
    ({ reset, target }) => takesHost(reset) && targetTraits({ target }).losesObject,
  );
  return lost && verdict.execution.value !== "not-interrupted" ? "censored" : "not-applicable";
}

function settled({ resets, timings }: Verdict): Duration {
  if (timings.resetToSettledMs !== null) return timings.resetToSettledMs;
  if (resets.length === 0 || timings.settledNote === "before-reset") return "not-applicable";
  return timings.settledNote === "observed-late" ? "undated" : "censored";
}
