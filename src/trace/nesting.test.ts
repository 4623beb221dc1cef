import fc from "fast-check";
import { expect, it } from "vitest";
import { nestsDeeperThan } from "./nesting.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it("is what parsing finds, whatever stands in the strings", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const depth = depthOf(JSON.parse(text));
      expect(nestsDeeperThan(text, depth)).toBe(false);
      expect(nestsDeeperThan(text, depth - 1)).toBe(true);
    }),
    { examples: [['{"[\\"[":"]]\\\\"}'], ['[["\\\\",{}]]']] },
  );
});

it("needs no end of what was begun", () => {
  for (const text of ["[".repeat(1_000), '{"a":'.repeat(1_000)])
    expect(nestsDeeperThan(text, 999)).toBe(true);
  expect(nestsDeeperThan('"[[[', 1)).toBe(false);
});
