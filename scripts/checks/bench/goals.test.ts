import { expect, test } from "vitest";
import { compareWithGoal } from "./goals.ts";

test("a value at its goal meets it, one beyond it does not", () => {
  expect(compareWithGoal("processor time per trial", 150, 7).met).toBe(true);
  expect(compareWithGoal("processor time per trial", 150.1, 7).met).toBe(false);
  expect(compareWithGoal("records judged per second", 200_000, null).met).toBe(true);
  expect(compareWithGoal("records judged per second", 199_999, null).met).toBe(false);
});

test("of several goals for one figure, that for the number of trials counts", () => {
  expect(compareWithGoal("overhead p50", 2, 1)).toMatchObject({ goal: { most: 1 }, met: false });
  expect(compareWithGoal("overhead p50", 2, 299)).toMatchObject({ goal: { most: 6 }, met: true });
});

test("where no goal is about so many trials, or nothing was measured, nothing is met or missed", () => {
  expect(compareWithGoal("overhead p50", 2, 100)).toMatchObject({ measured: 2, goal: null, met: null });
  expect(compareWithGoal("peak of all processes", null, 299)).toMatchObject({
    goal: { most: 1_200 },
    met: null,
  });
});
