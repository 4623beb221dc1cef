import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type ParsedTrace, parseTrace } from "../../trace/file.ts";
import { judge } from "../judge.ts";
import { Verdict } from "../verdict.ts";
import { t01, t02 } from "./traces.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const TEXT = t02().toText(hash);
const LINES = TEXT.trimEnd().split("\n");

/** The file with some of its lines (0 is the header) changed. */
function changed(change: (lines: string[]) => string[]): string {
  return `${change([...LINES]).join("\n")}\n`;
}

const DAMAGED: [string, string, string][] = [
  ["an empty file", "", "empty-file"],
  ["a deleted line", changed((lines) => lines.filter((_, index) => index !== 12)), "chain-broken"],
  [
    "a flipped field",
    changed((lines) => lines.map((line) => line.replace('"accepted":false', '"accepted":true'))),
    "chain-broken",
  ],
  ["a broken last line", TEXT.slice(0, -20), "line-unreadable"],
  [
    "reordered lines",
    changed((lines) => [...lines.slice(0, 12), lines[13] ?? "", lines[12] ?? "", ...lines.slice(14)]),
    "chain-broken",
  ],
  ["a truncated tail", changed((lines) => lines.slice(0, -3)), "tail-missing"],
  [
    "a header that contradicts the journal",
    changed((lines) =>
      lines.map((line, index) => (index === 0 ? line.replace('"unique"', '"append"') : line)),
    ),
    "header-contradicts-journal",
  ],
  ["a header that is none", changed((lines) => ["{}", ...lines.slice(1)]), "header-unreadable"],
  ["a missing header", changed((lines) => lines.slice(1)), "header-unreadable"],
  ["a record of no known type", changed((lines) => [...lines, '{"type":"x"}']), "record-invalid"],
  ["a header alone", changed((lines) => lines.slice(0, 1)), "tail-missing"],
];

describe("a damaged file", () => {
  it.each(DAMAGED)("%s makes the trial invalid and decides nothing", (_name, text, reason) => {
    const verdict = judge(parseTrace(text, hash));
    expect(Verdict.parse(verdict)).toEqual(verdict);
    expect(verdict.validity.value).toBe("invalid");
    expect(verdict.validity.reasons.map(({ code }) => code)).toContain(reason);
    expectUndecided(verdict);
  });

  it("is not what the undamaged file is", () => {
    expect(judge(parseTrace(TEXT, hash)).validity).toEqual({ value: "valid", reasons: [] });
  });
});

describe("a list of records that no file was read for", () => {
  const bare = (change: (parsed: ParsedTrace) => Partial<ParsedTrace>) => {
    const parsed = t01().toParsed();
    return judge({ ...parsed, ...change(parsed) });
  };

  it("is invalid without records", () => {
    const verdict = bare(() => ({ records: [] }));
    expect(verdict.validity.reasons.map(({ code }) => code)).toContain("no-records");
    expectUndecided(verdict);
  });

  it("is invalid without a header", () => {
    const verdict = bare(() => ({ header: null }));
    expect(verdict.validity.reasons.map(({ code }) => code)).toEqual(["header-unreadable"]);
    expectUndecided(verdict);
  });

  it("is invalid when the header is another trial's", () => {
    const verdict = bare(({ header }) => ({ header: header && { ...header, trial: "run-1-t2" } }));
    expect(verdict.validity.reasons.map(({ code }) => code)).toEqual(["header-contradicts-journal"]);
    expectUndecided(verdict);
  });

  it("is invalid when its numbers are out of order", () => {
    const verdict = bare(({ records }) => ({ records: [...records].reverse() }));
    expect(verdict.validity.reasons.map(({ code }) => code)).toEqual(["seq-broken", "start-missing"]);
    expectUndecided(verdict);
  });
});

describe("evidence that breaks a check", () => {
  it("leaves axes unknown and says which check failed, and does not throw", () => {
    const parsed = t01().toParsed();
    // What no parser lets through, as a fault in a check would: a record without its fields.
    const records = parsed.records.map((record) =>
      record.type === "snapshot.log" ? { ...record, events: null as unknown as [] } : record,
    );
    const verdict = judge({ ...parsed, records });
    expect(verdict.validity.value).toBe("invalid");
    expect(verdict.session).toEqual({ value: "unknown", code: "checker-failed", evidence: [] });
    expect(verdict.findings.map(({ code, facts }) => [code, facts.checker])).toContainEqual([
      "checker-failed",
      "session",
    ]);
    // Other checks are not touched by it.
    expect(verdict.operations[0]).toMatchObject({ attempts: 2, effects: 2, flags: ["duplicate"] });
  });
});

function expectUndecided(verdict: Verdict): void {
  const { session, execution, executor, autonomous, stuck, attribution } = verdict;
  for (const { value } of [session, execution, executor, autonomous, stuck, attribution])
    expect(value).toBe("unknown");
  for (const { flags } of verdict.operations) expect(flags).toEqual(["unknown"]);
  expect(verdict.repeats).toEqual([]);
  expect(verdict.law.holds).toBe(false);
}
