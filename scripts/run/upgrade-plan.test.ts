import { expect, it } from "vitest";
import { loadExperiment } from "../../experiments/registry.ts";
import { wayOf } from "../../src/summarize/upgrade-ways.ts";
import { TrialSpec } from "../../src/trace/spec.ts";
import { makePlan } from "./make-plan.ts";
import { EVERYTHING } from "./selection.ts";
import { upgradePlan } from "./upgrade-plan.ts";

const pair = { from: "stand-in-layout-1", to: "stand-in-layout-2" };
const plan = makePlan(loadExperiment("recovery"), {
  run: "r",
  seed: 1,
  repeats: 1,
  quietMs: null,
  settleMs: null,
  host: "stand-in",
  only: EVERYTHING,
  loadPerSecond: 0,
  commandLine: [],
});
const { specs } = upgradePlan(plan, pair);
const waysOf = (condition: string) =>
  specs
    .filter((spec) => wayOf(spec.condition)?.condition === condition)
    .map((spec) => wayOf(spec.condition)?.way);

it("plans trials that are valid specs with ids, keys and actions of their own", () => {
  for (const spec of specs) TrialSpec.parse(spec);
  for (const read of [
    ({ trial }: TrialSpec) => trial,
    ({ operationId }: TrialSpec) => operationId,
    ({ probeId }: TrialSpec) => probeId,
    ({ marker }: TrialSpec) => marker,
    ({ intended }: TrialSpec) => intended[0]?.action,
  ])
    expect(new Set(specs.map(read)).size).toBe(specs.length);
});

it("takes a kill under each set, in flight and back", () => {
  expect(waysOf("opencode/after-commit/kill/append/reissue")).toEqual([
    "under-a",
    "under-b",
    "in-flight",
    "back",
  ]);
});

it("takes what kills no process under each set alone, and canaries once", () => {
  expect(waysOf("opencode/after-commit/abort/append/reissue")).toEqual(["under-a", "under-b"]);
  expect(waysOf("canary-replay/after-commit/abort/append/reissue")).toEqual(["under-b"]);
});

it("gives no process to trials of two different pairs of sets", () => {
  for (const [, own] of Map.groupBy(specs, ({ slot }) => slot))
    expect(new Set(own.map(({ sets }) => JSON.stringify(sets))).size).toBe(1);
});

it("resets what crosses by an upgrade from the set that it began under", () => {
  const crossing = specs.filter(({ factors }) => factors.reset === "upgrade");
  const ways = new Map(crossing.map((spec) => [wayOf(spec.condition)?.way, spec.sets]));
  expect(ways).toEqual(
    new Map([
      ["in-flight", { before: pair.from, after: pair.to }],
      ["back", { before: pair.to, after: pair.from }],
    ]),
  );
});
