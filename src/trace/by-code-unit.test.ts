import { expect, it } from "vitest";
import { byCodeUnit } from "./by-code-unit.ts";

it("orders by code unit, which no language does, and keeps equals where they are", () => {
  expect(["é", "z", "a", "Z", "a-10", "a-9"].sort(byCodeUnit)).toEqual(["Z", "a", "a-10", "a-9", "z", "é"]);
  expect(byCodeUnit("same", "same")).toBe(0);
});
