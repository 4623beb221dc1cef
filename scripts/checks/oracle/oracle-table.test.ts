import { expect, test } from "vitest";
import type { Line } from "./compare-sides.ts";
import { countsOf, renderTable } from "./oracle-table.ts";

const AGREED: Line = {
  rule: "plain-turn.events",
  sentence: "Events in order.",
  section: "5.4",
  server: ["step.started", "step.ended (stop)"],
  standIn: ["step.started", "step.ended (stop)"],
  status: "agree",
  reason: null,
};
const UNLISTED: Line = { ...AGREED, rule: "crash.alone", server: [], standIn: null, status: "UNLISTED" };
const KNOWN: Line = {
  ...AGREED,
  rule: "replay.first",
  server: 1,
  standIn: 0,
  status: "known",
  reason: "why",
};

test("shows what both sides agree on once, and a difference from both sides", () => {
  expect(renderTable([AGREED, KNOWN, UNLISTED])).toBe(`plain-turn.events  agree
  Events in order. (5.4)
  both      step.started · step.ended (stop)

replay.first  known difference
  Events in order. (5.4)
  1.18      1
  stand-in  0
  because   why

crash.alone  UNLISTED DIFFERENCE
  Events in order. (5.4)
  1.18      (nothing)
  stand-in  (does not exist)`);
});

test("counts every verdict, also those that did not occur", () => {
  expect(countsOf([AGREED, AGREED, KNOWN])).toEqual({ agree: 2, known: 1, UNLISTED: 0, STALE: 0 });
});
