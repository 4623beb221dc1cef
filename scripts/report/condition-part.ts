/** One condition as the page shows it: the three answers counted apart, with what each count is worth, and its times. Pure. */
import type { ConditionPart, Counted, Tone } from "../../src/report/report-model.ts";
import type { ConditionSummary } from "../../src/summarize/summary.ts";
import type { Rate, Tally } from "../../src/trace/counts.ts";
import { percentText } from "../present/numbers.ts";

/** What a summary does not say of it. */
type Beside = {
  readonly family: string;
  readonly tone: Tone;
  readonly remark: string;
  readonly anchors: readonly string[];
};

export function conditionPart(one: ConditionSummary, beside: Beside): ConditionPart {
  const { session, execution, effects, undecided, timings } = one;
  return {
    condition: one.condition,
    family: beside.family,
    canary: one.canary,
    tone: beside.tone,
    remark: beside.remark,
    trials: one.trials,
    valid: one.valid,
    resets: one.resets.performed,
    acts: one.resets.clusters,
    session: { answers: answersOf(session.values), rates: rates({ restored: session.restored }), counts: [] },
    execution: {
      answers: answersOf(execution.values),
      rates: rates({ resumed: execution.resumed }),
      counts: [],
    },
    effects: {
      answers: answersOf(effects.values),
      rates: rates({
        duplicates: effects.duplicates,
        lost: effects.lost,
        unresolved: effects.unresolved,
      }),
      counts: [
        `${effects.effects} made, ${effects.intended} intended, ${effects.attempts} attempted`,
        ...(undecided === 0 ? [] : [`undecided in ${undecided}`]),
      ],
    },
    times: [
      { of: "reset until activation", distribution: timings.resetToActivationMs },
      { of: "reset until first progress", distribution: timings.resetToProgressMs },
      { of: "reset until settled", distribution: timings.resetToSettledMs },
      { of: "woke later than due", distribution: timings.wokeLateMs },
    ],
    anchors: [...beside.anchors],
  };
}

function answersOf(tally: Tally): Counted["answers"] {
  return Object.entries(tally).map(([words, trials]) => ({ words, trials }));
}

function rates(named: Readonly<Record<string, Rate>>): Counted["rates"] {
  return Object.entries(named).map(([of, rate]) => ({ of, lines: rateLines(rate) }));
}

/** The count, then what it says: an interval or a bound, and where acts are fewer than trials, the bound by acts. */
export function rateLines(rate: Rate): string[] {
  const { events, trials, clusters, low, high, atMost, atLeast, atMostByCluster, atLeastByCluster } = rate;
  if (trials === 0 || low === null || high === null) return [];
  const count = `${events}/${trials}`;
  // One trial bounds nothing that is worth a line.
  if (trials === 1) return [count];
  const worth =
    atMost !== null
      ? `≤ ${percentText(atMost, "up")}`
      : atLeast !== null
        ? `≥ ${percentText(atLeast, "down")}`
        : `${percentText(low, "down")} to ${percentText(high, "up")}`;
  if (clusters === trials) return [count, worth];
  const acts = `${clusters} ${clusters === 1 ? "act" : "acts"}`;
  if (atMostByCluster !== null) return [count, worth, `${acts}: ≤ ${percentText(atMostByCluster, "up")}`];
  if (atLeastByCluster !== null) return [count, worth, `${acts}: ≥ ${percentText(atLeastByCluster, "down")}`];
  return [count, worth, acts];
}
