import { expect, test } from "vitest";
import { compare, isFailure, type Known, type Line } from "./compare-sides.ts";
import { KNOWN } from "./known-differences.ts";
import type { Json, Observation } from "./observation.ts";

const NOTHING: Known = { vocabulary: [], differences: [] };
const RENAMED: Known = {
  vocabulary: [{ kind: "renamed", server: "prompted", standIn: "inbox.delivered", reason: "renamed" }],
  differences: [],
};
const ABSENT: Known = {
  vocabulary: [{ kind: "stand-in-only", name: "execution.started", reason: "absent" }],
  differences: [],
};

function value(rule: string, found: Json): Observation {
  return { rule, sentence: "", section: "", found: { kind: "value", value: found } };
}

function events(rule: string, ...names: string[]): Observation {
  const labels = names.map((name) => ({ name, detail: "" }));
  return { rule, sentence: "", section: "", found: { kind: "events", events: labels } };
}

function statuses(lines: readonly Line[]): Record<string, string> {
  return Object.fromEntries(lines.map(({ rule, status }) => [rule, status]));
}

test("has nothing to say when nothing was observed", () => {
  expect(compare([], [], [], NOTHING)).toEqual([]);
});

test("agrees where both sides show the same", () => {
  expect(statuses(compare([value("a", 1)], [value("a", 1)], [], NOTHING))).toEqual({ a: "agree" });
});

test("fails for a difference that is not listed", () => {
  const lines = compare([value("a", 1)], [value("a", 2)], [], NOTHING);
  expect(lines).toMatchObject([{ status: "UNLISTED", server: 1, standIn: 2 }]);
  expect(lines.every(isFailure)).toBe(true);
});

test("lets a listed difference pass with its reason, as long as both sides do exactly what is listed", () => {
  const known = { vocabulary: [], differences: [{ rule: "a", server: 1, standIn: 2, reason: "why" }] };
  const lines = compare([value("a", 1)], [value("a", 2)], [], known);
  expect(lines).toMatchObject([{ status: "known", reason: "why" }]);
  expect(lines.some(isFailure)).toBe(false);
  expect(statuses(compare([value("a", 1)], [value("a", 3)], [], known))).toEqual({ a: "UNLISTED" });
  expect(statuses(compare([value("a", 0)], [value("a", 2)], [], known))).toEqual({ a: "UNLISTED" });
});

test("fails for a listed difference that no longer occurs", () => {
  const known = { vocabulary: [], differences: [{ rule: "a", server: 1, standIn: 2, reason: "why" }] };
  const lines = compare([value("a", 2)], [value("a", 2)], [], known);
  expect(lines).toMatchObject([{ status: "STALE" }]);
  expect(lines.every(isFailure)).toBe(true);
});

test("fails for a listed difference that no scenario observes", () => {
  const known = { vocabulary: [], differences: [{ rule: "gone", server: 1, standIn: 2, reason: "why" }] };
  expect(statuses(compare([], [], [], known))).toEqual({ gone: "STALE" });
});

test("fails for a rule that only one side got to show", () => {
  expect(statuses(compare([value("a", 1)], [value("b", 1)], [], NOTHING))).toEqual({
    a: "UNLISTED",
    b: "UNLISTED",
  });
});

test("compares events in the shared vocabulary", () => {
  const lines = compare(
    [events("a", "prompted", "step")],
    [events("a", "inbox.delivered", "step")],
    [],
    RENAMED,
  );
  expect(statuses(lines)).toEqual({ "vocabulary.inbox.delivered": "known", a: "agree" });
});

test("leaves out events that one generation does not have, and still sees the order of the rest", () => {
  const agreeing = compare([events("a", "x", "y")], [events("a", "execution.started", "x", "y")], [], ABSENT);
  expect(statuses(agreeing)).toEqual({ "vocabulary.execution.started": "known", a: "agree" });
  const swapped = compare([events("a", "x", "y")], [events("a", "execution.started", "y", "x")], [], ABSENT);
  expect(statuses(swapped)).toMatchObject({ a: "UNLISTED" });
});

test("tells events apart by their detail", () => {
  const called = (detail: string): Observation => ({
    ...events("a"),
    found: { kind: "events", events: [{ name: "tool.called", detail }] },
  });
  expect(statuses(compare([called("call_a")], [called("call_b")], [], NOTHING))).toEqual({ a: "UNLISTED" });
});

test.each([
  ["the server writes the new name too", ["prompted", "inbox.delivered"], ["inbox.delivered"], []],
  ["the server declares the new name", ["prompted"], ["inbox.delivered"], ["inbox.delivered"]],
  ["the stand-in still writes the old name", ["prompted"], ["prompted", "inbox.delivered"], []],
  ["neither writes it", [], [], []],
])("drops a renaming when %s", (_, server, standIn, declared) => {
  const lines = compare([events("a", ...server)], [events("a", ...standIn)], declared, RENAMED);
  expect(statuses(lines)).toMatchObject({ "vocabulary.inbox.delivered": "STALE" });
});

test.each([
  ["the server writes it", ["execution.started"], ["execution.started"], []],
  ["the server declares it without ever writing it", [], ["execution.started"], ["execution.started"]],
  ["the stand-in does not write it", [], [], []],
])("drops an absence when %s", (_, server, standIn, declared) => {
  const lines = compare([events("a", ...server)], [events("a", ...standIn)], declared, ABSENT);
  expect(statuses(lines)).toMatchObject({ "vocabulary.execution.started": "STALE" });
});

test("lists every known difference once and with a reason", () => {
  const rules = KNOWN.differences.map(({ rule }) => rule);
  expect(new Set(rules).size).toBe(rules.length);
  const reasons = [...KNOWN.vocabulary, ...KNOWN.differences].map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason.length < 10)).toEqual([]);
});
