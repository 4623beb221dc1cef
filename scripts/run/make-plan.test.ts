import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conditionsOf } from "../../experiments/conditions.ts";
import { loadExperiment, validateExperiment } from "../../experiments/registry.ts";
import { small } from "../../experiments/testing/small-matrix.ts";
import { plannedResets, takesProcess } from "../../src/trace/resets.ts";
import { TrialSpec } from "../../src/trace/spec.ts";
import { BOUNDS, makePlan, type PlanOptions, RESET_DELAY_MS_MAX } from "./make-plan.ts";
import { EVERYTHING } from "./selection.ts";

const experiment = validateExperiment(small, "test");
const conditions = conditionsOf(experiment);

const OPTIONS: PlanOptions = {
  run: "r1",
  seed: 1,
  repeats: 1,
  quietMs: null,
  settleMs: null,
  host: "stand-in",
  only: EVERYTHING,
  loadPerSecond: 0,
  commandLine: ["recovery-kit", "run"],
};

const plan = (options: Partial<PlanOptions> = {}) => makePlan(experiment, { ...OPTIONS, ...options });

describe("a plan", () => {
  it("holds trials that the trace's own schema accepts", () => {
    for (const spec of plan({ repeats: 2 }).specs) expect(TrialSpec.parse(spec)).toEqual(spec);
  });

  it("numbers the trials in the order in which they are planned", () => {
    expect(
      plan()
        .specs.map(({ trial }) => trial)
        .slice(0, 3),
    ).toEqual(["r1-001", "r1-002", "r1-003"]);
  });

  it("has room for the numbers of a large run, so that names sort as they were planned", () => {
    const names = plan({ repeats: 70 }).specs.map(({ trial }) => trial);
    expect(names[0]).toBe("r1-0001");
    expect(names.toSorted()).toEqual(names);
  });

  it("lets no trial lose its process more often than it wants to", () => {
    const ends = ({ factors }: TrialSpec) => plannedResets(factors).filter(takesProcess);
    const slots = Map.groupBy(plan({ repeats: 2 }).specs, ({ slot }) => slot);
    for (const specs of slots.values())
      for (const spec of specs) expect(ends(spec)).toEqual(ends(specs[0] ?? spec));
    expect(slots.get("default")?.flatMap(ends)).toEqual([]);
    expect([...slots.keys()].toSorted()).toEqual(["default", "kill-1", "kill-2", "redeploy-1"]);
  });

  it("keeps deploys that are put off for different times apart, and waits as much longer for them", () => {
    const { specs } = makePlan(loadExperiment("deploys"), OPTIONS);
    const putOff = specs.filter(({ factors }) => factors.deferredS !== undefined);
    expect([...new Set(putOff.map(({ slot }) => slot))].toSorted()).toEqual([
      "redeploy-within-1-35s",
      "redeploy-within-1-5s",
    ]);
    for (const { bounds, factors } of putOff) {
      const laterMs = (factors.deferredS ?? 0) * 1_000;
      expect(bounds.resetMs).toBe(BOUNDS.resetMs + laterMs);
      expect(bounds.canaryMs).toBe(BOUNDS.canaryMs + laterMs);
    }
  });

  it("counts trials that a real model answers as conditions of their own, of which nothing is expected", () => {
    const scripted = plan().specs;
    const { specs } = plan({ model: "@cf/some/model" });
    for (const spec of specs) expect(TrialSpec.parse(spec)).toEqual(spec);
    expect(specs.map(({ condition }) => condition)).toEqual(
      scripted.map(({ condition, canary }) => (canary ? condition : `${condition}/model=@cf/some/model`)),
    );
    const [real, canaries] = [false, true].map((canary) => specs.filter((spec) => spec.canary === canary));
    expect(
      real?.every(({ factors, expect: expected }) => factors.model !== undefined && expected === null),
    ).toBe(true);
    // They are broken for the scripted model to show.
    expect(canaries?.every(({ factors }) => factors.model === undefined)).toBe(true);
  });

  it("says how often each subject looks after its work by itself", () => {
    for (const { heartbeatMs, canary } of plan().specs) expect(heartbeatMs).toBe(canary ? 5_000 : 30_000);
  });

  it("gives a trial what its block breaks on purpose", () => {
    const broken = plan().specs.filter(({ sabotage }) => sabotage !== "none");
    expect(broken).toMatchObject([{ sabotage: "recorder-gap", expect: { validity: "invalid" } }]);
  });

  it("gives OpenCode the run's host, and a canary none", () => {
    for (const { factors } of plan({ host: "sdk" }).specs)
      expect(factors.host).toBe(factors.subject === "opencode" ? "sdk" : "none");
  });

  it("takes the intervals of the options in place of the experiment's, and keeps the names", () => {
    const changed = plan({ quietMs: 5, settleMs: 6 });
    for (const { factors } of changed.specs) expect([factors.quietMs, factors.settleMs]).toEqual([5, 6]);
    expect(changed.specs.map(({ condition }) => condition)).toEqual(
      plan().specs.map(({ condition }) => condition),
    );
  });

  it("delays no reset that there is not", () => {
    for (const { factors, resetDelayMs } of plan({ repeats: 5 }).specs)
      if (factors.reset === "none") expect(resetDelayMs).toBe(0);
  });

  it("runs every condition once before any runs twice", () => {
    const { specs } = plan({ repeats: 3 });
    expect(specs.map(({ repeat }) => repeat)).toEqual(specs.map(({ repeat }) => repeat).toSorted());
  });
});

describe("any plan", () => {
  const options = fc.record({
    run: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,59}$/),
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    repeats: fc.integer({ min: 1, max: 6 }),
  });

  it("gives no two trials an id, an action, a key, an operation, a probe or a marker in common", () => {
    fc.assert(
      fc.property(options, (chosen) => {
        const { specs } = plan(chosen);
        const names = specs.flatMap(({ trial, operationId, probeId, marker, intended }) => [
          trial,
          operationId,
          probeId,
          marker,
          // Only a key that the scenario gives is the plan's to choose.
          ...intended.flatMap(({ action, key }) => (key === null ? [action] : [action, key])),
        ]);
        expect(new Set(names).size).toBe(names.length);
        for (const spec of specs) TrialSpec.parse(spec);
      }),
    );
  });

  it("is the same for the same seed", () => {
    fc.assert(
      fc.property(options, (chosen) => {
        expect(plan(chosen)).toEqual(plan(chosen));
      }),
    );
  });

  it("has every condition as often as asked for, and every canary once", () => {
    fc.assert(
      fc.property(options, (chosen) => {
        const counts = Map.groupBy(plan(chosen).specs, ({ condition }) => condition);
        expect([...counts.keys()].toSorted()).toEqual(conditions.map(({ name }) => name).toSorted());
        for (const specs of counts.values())
          expect(specs.map(({ repeat }) => repeat)).toEqual(
            Array.from({ length: specs[0]?.canary === true ? 1 : chosen.repeats }, (_, index) => index + 1),
          );
      }),
    );
  });

  it("keeps reset delays within their bound", () => {
    fc.assert(
      fc.property(options, (chosen) => {
        for (const { resetDelayMs } of plan(chosen).specs) {
          expect(resetDelayMs).toBeGreaterThanOrEqual(0);
          expect(resetDelayMs).toBeLessThanOrEqual(RESET_DELAY_MS_MAX);
        }
      }),
    );
  });

  it("is not the same for every seed", () => {
    const orders = new Set(
      Array.from({ length: 10 }, (_, seed) =>
        JSON.stringify(plan({ seed }).specs.map(({ condition }) => condition)),
      ),
    );
    expect(orders.size).toBeGreaterThan(1);
  });
});
