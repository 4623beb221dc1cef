import { expect, it } from "vitest";
import { compareUpgrade } from "./compare-upgrade.ts";
import { conditionUnder, WAYS, wayOf } from "./upgrade-ways.ts";

const pair = { from: "a", to: "b" };
const nothing = {
  run: "r",
  experiment: "recovery",
  host: null,
  trials: [],
  missing: [],
  pair,
  stored: new Map(),
};

it("reads back the way and the condition of every name that it gives, and of no other", () => {
  for (const way of WAYS) expect(wayOf(conditionUnder("x/y", way))).toEqual({ condition: "x/y", way });
  for (const name of ["x/y", "x/way=sideways", "way=back/x"]) expect(wayOf(name)).toBeNull();
});

it("answers nothing where nothing was measured", () => {
  expect(compareUpgrade(nothing).answers).toEqual({
    upgrade: "not-measured",
    inFlight: "not-measured",
    back: "not-measured",
  });
});

it("takes storage of no way for storage of another", () => {
  expect(compareUpgrade(nothing).storage).toEqual({ upgrade: [], inFlight: [], back: [] });
});
