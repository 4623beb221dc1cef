import { expect, it } from "vitest";
import {
  isControl,
  plannedResets,
  RESETS,
  Reset,
  takesExecutorAlone,
  takesHost,
  takesProcess,
  traitsOf,
} from "./resets.ts";

const singles = Reset.options.filter((reset) => traitsOf(reset) !== null);

it("wants a proof of each reset that takes the host, and of no other", () => {
  expect(singles.filter((reset) => traitsOf(reset)?.proof !== null)).toEqual(singles.filter(takesHost));
});

it("takes each reset for a control or for one loss, of the host or of an executor, and a sequence for neither", () => {
  for (const reset of Reset.options)
    expect([isControl(reset), takesHost(reset), takesExecutorAlone(reset)].filter(Boolean)).toHaveLength(
      singles.includes(reset) ? 1 : 0,
    );
});

it("plans a single reset as often as asked, and none of 'none'", () => {
  expect(plannedResets({ reset: "abort", resets: 3 })).toEqual(["abort", "abort", "abort"]);
  expect(plannedResets({ reset: "abort", resets: 0 })).toEqual([]);
  expect(plannedResets({ reset: "none", resets: 1 })).toEqual([]);
});

it("plans the steps of a sequence once, in their order", () => {
  expect(plannedResets({ reset: "interrupt-then-kill", resets: 1 })).toEqual(["interrupt", "kill"]);
  expect(plannedResets({ reset: "interrupt-then-kill", resets: 3 })).toEqual(["interrupt", "kill"]);
});

it("has no sequence that its slot could not serve: all process resets alike, and none of single objects beside them", () => {
  for (const row of Object.values(RESETS)) {
    if (!("steps" in row)) continue;
    const ends = row.steps.filter(takesProcess);
    expect(new Set(ends).size).toBeLessThanOrEqual(1);
    const beside = row.steps.filter((step) => traitsOf(step).performer === "runner" && !takesProcess(step));
    expect(ends.length === 0 || beside.length === 0).toBe(true);
  }
});
