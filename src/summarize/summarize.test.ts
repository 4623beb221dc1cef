import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { t05 } from "../reconcile/cases/traces.ts";
import { judge } from "../reconcile/judge.ts";
import { summarize, UNREADABLE } from "./summarize.ts";
import { Summary } from "./summary.ts";
import {
  type Changes,
  duplicate,
  harmless,
  invalid,
  killedIn,
  operations,
  runOf,
  type Trial,
} from "./testing/trials.ts";

const one = (trials: readonly Trial[]) => {
  const [condition] = summarize(runOf(trials)).conditions;
  if (condition === undefined) throw new Error("no condition");
  return condition;
};
const times = (count: number, make: (index: number) => Trial) =>
  Array.from({ length: count }, (_, i) => make(i));

describe("the summary of a run", () => {
  it("of nothing is empty", () => {
    const summary = summarize(runOf([]));
    expect(Summary.parse(summary)).toEqual(summary);
    expect(summary.conditions).toEqual([]);
    expect(summary.totals).toEqual({ trials: 0, missing: 0, valid: 0, invalid: 0, resets: 0, clusters: 0 });
  });

  it("keeps its schema, whatever the trials", () => {
    const summary = summarize(
      runOf([duplicate(), harmless(), invalid(), duplicate({ verdict: { condition: null } })]),
    );
    expect(Summary.parse(summary)).toEqual(summary);
  });

  it("counts planned trials without a trace with their condition, and those that nobody can place", () => {
    const missing = [{ condition: "opencode/a", canary: false }];
    const { conditions, totals } = summarize(
      runOf([duplicate({ verdict: { condition: null } })], { missing }),
    );
    expect(
      conditions.map(({ condition, trials, missing: none, valid }) => [condition, trials, none, valid]),
    ).toEqual([
      [UNREADABLE, 1, 0, 1],
      ["opencode/a", 1, 1, 0],
    ]);
    expect(totals).toMatchObject({ trials: 2, missing: 1 });
  });

  it("puts canaries last", () => {
    const canary = duplicate({ spec: { condition: "canary-replay/x", canary: true } });
    const names = summarize(runOf([canary, duplicate({ spec: { condition: "opencode/x" } })])).conditions;
    expect(names.map(({ condition, canary: is }) => [condition, is])).toEqual([
      ["opencode/x", false],
      ["canary-replay/x", true],
    ]);
  });

  it("says what differed between the trials of a condition", () => {
    const delayed = (resetDelayMs: number) => duplicate({ spec: { resetDelayMs, seed: 7 } });
    expect(summarize(runOf([delayed(3), delayed(3), delayed(40)])).varied).toMatchObject({
      seeds: [7],
      repeats: 3,
      resetDelayMs: { min: 3, max: 40, distinct: 2 },
    });
    expect(summarize(runOf([])).varied).toEqual({
      seeds: [],
      repeats: 0,
      resetDelayMs: null,
      loadPerSecond: null,
    });
  });
});

describe("a condition", () => {
  it("keeps session, execution and effects apart", () => {
    const { session, execution, effects } = one([
      duplicate(),
      duplicate({ verdict: { session: { value: "lost", code: "log-empty", evidence: [] } } }),
      duplicate({ verdict: { execution: { value: "not-resumed", code: "no-new-work", evidence: [] } } }),
    ]);
    expect(session).toMatchObject({ values: { restored: 2, lost: 1 }, restored: { events: 2, trials: 3 } });
    expect(execution).toMatchObject({
      values: { resumed: 2, "not-resumed": 1 },
      resumed: { events: 2, trials: 3 },
    });
    expect(effects).toMatchObject({
      values: { "2/1 duplicate": 3 },
      intended: 3,
      attempts: 6,
      effects: 6,
      surplus: 3,
      duplicates: { events: 3, trials: 3 },
      lost: { events: 0, trials: 3 },
    });
  });

  it("counts invalid trials by each of their reasons once, and nothing else of them", () => {
    const { trials, valid, invalid: reasons, effects, resets } = one([duplicate(), invalid(), invalid()]);
    expect([trials, valid]).toEqual([3, 1]);
    expect(reasons).toEqual({ "canary-silent": 2, "recorder-gap": 2 });
    expect(effects.attempts).toBe(2);
    expect(resets.performed).toBe(1);
  });

  it("leaves what the evidence does not decide out of the rate, not out of the count", () => {
    const open = duplicate({
      verdict: {
        session: { value: "unknown", code: "log-not-read", evidence: [] },
        operations: operations(1, "unknown"),
      },
    });
    const { valid, undecided, session, effects } = one([duplicate(), open]);
    expect([valid, undecided]).toEqual([2, 1]);
    expect(session).toMatchObject({
      values: { restored: 1, unknown: 1 },
      restored: { events: 1, trials: 1 },
    });
    expect(effects.duplicates).toMatchObject({ events: 1, trials: 1 });
    expect(effects.attempts).toBe(3);
  });

  it("asks whether work resumed only where it was interrupted", () => {
    const idle = duplicate({
      verdict: { execution: { value: "not-interrupted", code: "no-host-loss", evidence: [] } },
    });
    expect(one([idle, idle]).execution).toMatchObject({
      values: { "not-interrupted": 2 },
      resumed: { events: 0, trials: 0, low: null },
    });
  });

  it("counts what one process reset took away as one cluster", () => {
    const killed = (trial: string, cluster: string) =>
      harmless({ spec: { trial }, verdict: { resets: killedIn(cluster) } });
    const { resets, effects } = one([killed("t1", "k1"), killed("t2", "k1"), killed("t3", "k2")]);
    expect(resets).toEqual({ performed: 3, clusters: 2, trialsOfLargestCluster: 2 });
    expect(effects.duplicates).toMatchObject({ events: 0, trials: 3, clusters: 2 });
    expect(effects.duplicates.atMostByCluster).toBeGreaterThan(effects.duplicates.atMost ?? 1);
  });

  it("counts each reset that hit one trial alone as its own", () => {
    const { resets, effects } = one(times(5, (index) => duplicate({ spec: { trial: `t${index}` } })));
    expect(resets).toEqual({ performed: 5, clusters: 5, trialsOfLargestCluster: 1 });
    expect(effects.lost.atMostByCluster).toBe(effects.lost.atMost);
  });

  it("bounds a rate at 1 % when 299 trials show nothing", () => {
    const { effects } = one(times(299, (index) => duplicate({ spec: { trial: `t${index}` } })));
    expect(effects.lost.atMost).toBeLessThanOrEqual(0.01);
    expect(effects.duplicates.atLeast).toBeGreaterThanOrEqual(0.99);
  });

  it("has a completion only where somebody gave the outcome", () => {
    const nobody = duplicate({
      verdict: { executor: { value: "none", activation: null, code: "not-completed", evidence: [] } },
    });
    expect(one([duplicate(), nobody]).completions).toMatchObject({ events: 1, trials: 2 });
  });

  it("counts records of the log that went missing", () => {
    const damaged = duplicate({
      verdict: {
        transcript: { cursorBefore: 5, cursorAfter: 5, missing: [1, 2], damaged: [3], readOn: null },
      },
    });
    expect(one([duplicate(), damaged]).transcript).toEqual({
      trialsCompared: 2,
      missing: 2,
      damaged: 1,
      trialsAffected: 1,
    });
  });

  it("knows nothing of lost events where no log could be compared", () => {
    const logless = duplicate({
      verdict: {
        transcript: { cursorBefore: null, cursorAfter: null, missing: null, damaged: null, readOn: null },
      },
    });
    expect(one([logless]).transcript).toMatchObject({
      trialsCompared: 0,
      missing: null,
      damaged: null,
    });
  });
});

describe("times from the reset", () => {
  it("are censored where a lost host did not come back", () => {
    const stuck = t05();
    const verdict = { ...judge(stuck.toParsed()), condition: duplicate().verdict.condition };
    const { timings } = one([duplicate(), { spec: stuck.spec, environment: null, verdict }]);
    expect(timings.resetToActivationMs).toMatchObject({ observed: 1, censored: 1, min: 30, max: null });
    expect(timings.resetToSettledMs).toMatchObject({ observed: 1, censored: 1, max: null });
  });

  it("are undated where the end was seen late only", () => {
    expect(one([harmless()]).timings.resetToSettledMs).toMatchObject({
      observed: 0,
      undated: 1,
      censored: 0,
    });
  });

  it.each<[string, Changes["verdict"]]>([
    ["nothing was reset", { resets: [] }],
    [
      "a control left the host alone",
      { resets: [{ ordinal: 1, reset: "client-disconnect", cluster: null, evidence: [] }] },
    ],
  ])("do not apply where %s", (_name, verdict) => {
    const timings = {
      resetToActivationMs: null,
      resetToProgressMs: null,
      resetToSettledMs: null,
      settledNote: "before-reset" as const,
    };
    const summary = one([duplicate({ verdict: { ...verdict, timings } })]);
    for (const distribution of Object.values(summary.timings))
      expect(distribution).toMatchObject({ observed: 0, censored: 0, notApplicable: 1 });
  });
});

describe("usage beyond the baseline", () => {
  const usage = (modelCalls: number) => ({
    modelCalls,
    titleCalls: 0,
    inputTokens: 100 * modelCalls,
    outputTokens: 5,
  });
  const baseline = (destination: "append" | "unique", calls: number) =>
    duplicate({
      spec: { condition: `none/${destination}` },
      factors: { point: "none", reset: "none", resets: 0, destination },
      verdict: { usage: usage(calls), resets: [] },
    });
  const reset = duplicate({ spec: { condition: "reset" }, verdict: { usage: usage(3) } });

  it("compares with the trials of the same destination in which nothing was reset", () => {
    const summary = summarize(runOf([baseline("append", 2), baseline("unique", 1), reset]));
    expect(summary.conditions.find(({ condition }) => condition === "reset")?.beyondBaseline).toEqual({
      baseline: "none/append",
      baselineTrials: 1,
      perTrial: { modelCalls: 1, titleCalls: 0, inputTokens: 100, outputTokens: 0 },
    });
  });

  it("is not known without such trials, and not asked of a baseline", () => {
    const summary = summarize(runOf([baseline("unique", 1), reset]));
    expect(summary.conditions.map(({ beyondBaseline }) => beyondBaseline)).toEqual([null, null]);
  });

  it("leaves trials out whose probe could not be told apart, and counts them", () => {
    const mixed = duplicate({
      verdict: {
        usage: usage(9),
        findings: [{ code: "probe-usage-mixed", axis: "usage", facts: {}, evidence: [] }],
      },
    });
    expect(one([duplicate({ verdict: { usage: usage(3) } }), mixed]).usage).toMatchObject({
      perTrial: { modelCalls: 3 },
      trials: 1,
      mixed: 1,
    });
    expect(one([mixed]).usage).toBeNull();
  });
});

describe("any run", () => {
  const trials = fc.array(
    fc.record({
      make: fc.constantFrom(duplicate, harmless, invalid),
      condition: fc.constantFrom("a", "b", "c"),
      cluster: fc.constantFrom(null, "k1", "k2"),
      effects: fc.integer({ min: 0, max: 3 }),
      flag: fc.constantFrom(
        "ok" as const,
        "duplicate" as const,
        "lost" as const,
        "unresolved" as const,
        "unknown" as const,
      ),
      settled: fc.option(fc.integer({ min: 0, max: 60_000 })),
    }),
    { maxLength: 40 },
  );
  const built = (drawn: typeof trials extends fc.Arbitrary<infer T> ? T : never) =>
    drawn.map(({ make, condition, cluster, effects, flag, settled }, index) =>
      make({
        spec: { condition, trial: `t${String(index).padStart(3, "0")}` },
        verdict: {
          operations: operations(effects, flag),
          ...(cluster === null ? {} : { resets: killedIn(cluster) }),
          timings: {
            resetToActivationMs: settled,
            resetToProgressMs: settled,
            resetToSettledMs: settled,
            settledNote: null,
          },
        },
      }),
    );

  it("has every trial in exactly one condition, valid or invalid", () => {
    fc.assert(
      fc.property(trials, (drawn) => {
        const summary = summarize(runOf(built(drawn)));
        const sum = (value: (one: (typeof summary.conditions)[number]) => number) =>
          summary.conditions.reduce((total, condition) => total + value(condition), 0);
        expect(sum((condition) => condition.trials)).toBe(drawn.length);
        expect(sum(({ valid }) => valid)).toBe(summary.totals.valid);
        expect(summary.totals.valid + summary.totals.invalid).toBe(drawn.length);
        for (const { valid, undecided, session, effects, timings } of summary.conditions) {
          const sumOf = (tally: Record<string, number>) => Object.values(tally).reduce((a, b) => a + b, 0);
          expect(sumOf(session.values)).toBe(valid);
          expect(sumOf(effects.values)).toBe(valid);
          expect(effects.duplicates.trials).toBe(valid - undecided);
          for (const one of Object.values(timings))
            expect(one.observed + one.censored + one.undated + one.notApplicable).toBe(valid);
        }
      }),
    );
  });

  it("never has more clusters than trials, nor than resets", () => {
    fc.assert(
      fc.property(trials, (drawn) => {
        for (const { resets, effects } of summarize(runOf(built(drawn))).conditions) {
          expect(resets.clusters).toBeLessThanOrEqual(resets.performed);
          expect(effects.lost.clusters).toBeLessThanOrEqual(effects.lost.trials);
        }
      }),
    );
  });

  it("has the same summary in whatever order its trials come", () => {
    fc.assert(
      fc.property(trials, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (drawn, keys) => {
        const all = built(drawn);
        const order = new Map(all.map((trial) => [trial, keys.next().value as number]));
        const shuffled = [...all].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
        expect(JSON.stringify(summarize(runOf(shuffled)))).toBe(JSON.stringify(summarize(runOf(all))));
      }),
    );
  });
});
