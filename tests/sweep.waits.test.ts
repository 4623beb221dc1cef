/** A loss at a write, end to end: the canary's turn is counted and lost at three of its writes, of which one is its window. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SWEPT_CANARY, sweepOf } from "../experiments/sweep.ts";
import { executeRun } from "../scripts/run/execute.ts";
import { makePlan } from "../scripts/run/make-plan.ts";
import { EVERYTHING } from "../scripts/run/selection.ts";
import { countingSpecs, lossSpecs } from "../scripts/run/sweep-plan.ts";
import { judgeParsed } from "../scripts/stored/judge-trace.ts";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { isConvicted } from "../scripts/stored/stored-sweep.ts";
import { type SweptTrial, type TurnMap, turnMaps } from "../src/summarize/turn-map.ts";
import { ofType } from "../src/trace/records.ts";
import type { WritePlace } from "../src/trace/writes.ts";
import { RUN_TIMEOUT_MS } from "./support/run-trials.ts";

/** Longer than the canary's heartbeat. */
const QUIET_MS = 9_000;
/** The canary saves its turn when it is to call, when it has the result, and when it has the answer. */
const SAVES: readonly WritePlace[] = [4, 6, 8].map((number, index) => ({
  ...{ number, side: "before", kind: "update", table: "canary_turn", nth: index + 1 },
}));

describe("a turn that is lost at its writes", () => {
  let trials: SweptTrial[] = [];
  let map: TurnMap | undefined;
  beforeAll(async () => {
    const plan = makePlan(sweepOf("think", { policy: "reissue", destination: "append" }), {
      ...{ run: "test", seed: 1, repeats: 1, quietMs: QUIET_MS, settleMs: 500, host: "stand-in" },
      ...{ only: EVERYTHING, loadPerSecond: 0, commandLine: [] },
    });
    const counting = countingSpecs(plan).filter(({ factors }) => factors.subject === SWEPT_CANARY);
    const [counted] = counting;
    if (counted === undefined) throw new Error("the canary is not counted");
    const losses = lossSpecs(plan, counted, SAVES).map((spec) => ({ ...spec, bounds: counted.bounds }));
    const dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
    try {
      const { traces } = await executeRun(
        { ...plan, specs: [...counting, ...losses] },
        {
          ...{ tracesDir: dir, port: null, concurrency: 10, signal: new AbortController().signal },
          ...{ onProgress: () => undefined, onNote: () => undefined },
        },
      );
      trials = traces.flatMap((path) => {
        const parsed = readTrace(path);
        const { spec, verdict } = judgeParsed(path, parsed);
        return spec === null ? [] : [{ spec, verdict, records: parsed.records }];
      });
      [map] = turnMaps(trials);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }, RUN_TIMEOUT_MS);

  it("is counted in full, the same each time", () => {
    expect(map?.differsAt).toBe(null);
    const saves = map?.writes.filter(({ kind, table }) => kind === "update" && table === "canary_turn");
    expect(saves?.map(({ number }) => number)).toEqual(SAVES.map(({ number }) => number));
  });

  it("ends at each of them, and every loss is proven", () => {
    const lost = trials.filter(({ spec }) => spec.factors.point === "write");
    expect(lost.map(({ verdict }) => verdict.validity)).toEqual(
      SAVES.map(() => ({ value: "valid", reasons: [] })),
    );
    for (const { spec, records } of lost)
      expect(ofType(records, "reset.performed")[0]?.write).toMatchObject({ ...spec.factors.write });
    expect(map?.left).toEqual([]);
  });

  it("has a window in which the effect is repeated, and is as it should be around it", () => {
    expect(map?.ranges.map(({ from, answers, begins }) => [from.number, answers.effects, begins])).toEqual([
      [4, "1/1 ok", "call-asked-for"],
      [6, "2/1 duplicate", "receipt-sent"],
      [8, "1/1 ok", "answered"],
    ]);
    expect(map !== undefined && isConvicted(map)).toBe(true);
  });
});
