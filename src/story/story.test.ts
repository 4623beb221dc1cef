import { describe, expect, it } from "vitest";
import { t01, t02, t04 } from "../reconcile/cases/traces.ts";
import { judge } from "../reconcile/judge.ts";
import type { TraceBuilder } from "../reconcile/testing/trace-builder.ts";
import { RECORD_TYPES } from "../trace/records.ts";
import { lineOf } from "./lines.ts";
import { tellTrial } from "./story.ts";

const storyOf = (trace: TraceBuilder) => tellTrial(trace.toParsed(), judge(trace.toParsed()));

describe("a trial's story", () => {
  it("has a line for each record, in the journal's order", () => {
    const trace = t01();
    expect(storyOf(trace).entries.map(({ seq }) => seq)).toEqual(trace.records.map(({ seq }) => seq));
  });

  it("counts its times from the first reset that was asked for, and from the start where there was none", () => {
    const { entries, zero } = storyOf(t01());
    const asked = entries.find(({ text }) => text.startsWith("reset 1 asked for"));
    expect([zero, asked?.sinceMs]).toEqual(["first reset", 0]);
    expect(entries[0]?.sinceMs).toBeLessThan(0);
    const untouched = storyOf(t04());
    expect([untouched.zero, untouched.entries[0]?.sinceMs]).toEqual(["start", 0]);
  });

  it("says which generation acted", () => {
    const attempts = storyOf(t01()).entries.filter(({ text }) => text.startsWith("attempt "));
    expect(attempts.map(({ lane, generation }) => [lane, generation])).toEqual([
      ["ledger", 1],
      ["ledger", 2],
    ]);
  });

  it("marks each record with the answers that it decides, and names no other record", () => {
    const { entries, answers } = storyOf(t02());
    for (const { axis, evidence } of answers)
      for (const seq of evidence)
        expect(entries.find((entry) => entry.seq === seq)?.decides, `${axis} ${seq}`).toContain(axis);
    for (const { seq, decides } of entries)
      for (const axis of decides)
        expect(answers.some((one) => one.axis === axis && one.evidence.includes(seq))).toBe(true);
  });

  it("answers every axis, with a sentence wherever a code stands for one", () => {
    const { answers } = storyOf(t01());
    expect(answers.map(({ axis }) => axis)).toEqual(
      expect.arrayContaining(["session", "execution", "told", "operations", "repeats"]),
    );
    for (const { why } of answers) if (why !== null) expect(why).toMatch(/^[A-Z].*\.$/);
    expect(answers.find(({ axis }) => axis === "operations")?.words).toContain("2 of 1 intended");
  });

  it("tells why a trial is invalid", () => {
    const broken = t01();
    const records = broken.records.filter(({ type }) => type !== "reset.performed");
    const parsed = {
      ...broken.toParsed(),
      records: records.map((one, index) => ({ ...one, seq: index + 1 })),
    };
    const story = tellTrial(parsed, judge(parsed));
    expect(story.valid).toBe(false);
    expect(story.reasons.length).toBeGreaterThan(0);
  });

  it("is told of a damaged trace as far as it could be read", () => {
    const parsed = {
      header: null,
      records: [],
      problems: [{ code: "empty-file", line: 0, detail: "" }],
    } as const;
    const story = tellTrial(parsed, judge(parsed));
    expect(story).toMatchObject({ trial: "(trial unreadable)", valid: false, entries: [] });
  });
});

it("knows a line for every type of record that a trace may hold", () => {
  const told = new Set(
    [...t01().records, ...t02().records, ...t04().records].map((record) => lineOf(record).text),
  );
  expect(told.size).toBeGreaterThan(20);
  for (const record of t01().records) expect(RECORD_TYPES).toContain(record.type);
});
