/** What reading comes to, whatever the text is: problems, never an exception, and never more of them than are listed. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { t01 } from "../reconcile/cases/traces.ts";
import { judge } from "../reconcile/index.ts";
import { Verdict } from "../reconcile/verdict.ts";
import { parseTrace, type TraceHeader } from "./file.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const TEXT = t01().toText(hash);
const LINES = TEXT.trimEnd().split("\n");
const [HEAD = ""] = LINES;

const read = (text: string) => parseTrace(text, hash);
const codes = (text: string) => read(text).problems.map(({ code }) => code);
const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

/** The records, changed, under a header and in a chain that hold. */
function forged(change: (record: Record<string, unknown>, index: number) => object): string {
  let prev = "0".repeat(64);
  const lines = LINES.slice(1).map((line, index) => {
    const text = JSON.stringify({ ...change(JSON.parse(line), index), prev });
    prev = hash(text);
    return text;
  });
  const header = { ...(JSON.parse(HEAD) as TraceHeader), head: prev };
  return joined([JSON.stringify(header), ...lines]);
}

describe("a text that is no trace", () => {
  it("gives a hundred problems at most, and says that there may be more", () => {
    for (const text of ["{}\n".repeat(10_000), joined([HEAD, ...Array<string>(5_000).fill("[]")])]) {
      const { problems } = read(text);
      expect(problems).toHaveLength(101);
      expect(problems.filter(({ code }) => code === "given-up")).toHaveLength(1);
    }
  });

  it("gives problems that quote no more than a thousand characters of it", () => {
    const long = "k".repeat(100_000);
    const text = forged((record, index) => (index === 3 ? { ...record, [long]: 1 } : record));
    const { problems } = read(text);
    expect(problems.map(({ code }) => code)).toEqual(["record-invalid", "seq-broken", "tail-missing"]);
    for (const { detail } of problems) expect(detail.length).toBeLessThanOrEqual(1_001);
  });

  it("is given up after more records than any trial has", () => {
    let prev = "0".repeat(64);
    const record = JSON.parse(LINES[2] ?? "") as object;
    const lines = Array.from({ length: 50_002 }, (_, index) => {
      const line = JSON.stringify({ ...record, seq: index + 1, prev });
      prev = hash(line);
      return line;
    });
    const parsed = read(joined([HEAD, ...lines]));
    expect(parsed.records).toHaveLength(50_001);
    expect(parsed.problems.map(({ code }) => code)).toContain("too-large");
  });

  it("is not parsed where it nests deeper than any record", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(read(joined([deep, deep])).problems).toMatchObject([
      { code: "header-unreadable", detail: expect.stringContaining("more than 1000 deep") },
      { code: "line-unreadable", detail: expect.stringContaining("more than 1000 deep") },
    ]);
  });

  it.each([
    ["a byte order mark", `\uFEFF${TEXT}`, "header-unreadable"],
    ["line ends of another system", TEXT.replaceAll("\n", "\r\n"), "chain-broken"],
    ["a field named __proto__", forged((one, at) => (at === 2 ? withProto(one) : one)), "record-invalid"],
    ["a missing last line feed", TEXT.trimEnd(), "line-unended"],
    ["a cut last line", TEXT.slice(0, -30), "line-unreadable"],
    ["nothing", "", "empty-file"],
  ])("is noticed: %s", (_, text, code) => {
    expect(codes(text)).toContain(code);
    expect(judge(read(text)).validity.value).toBe("invalid");
  });

  it("has no effect beyond itself", () => {
    read(forged((record) => withProto(record)));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("may have half of a character in a record, written as JSON writes it", () => {
    const text = forged((one) => (one.type === "operation.settled" ? { ...one, text: "\ud800" } : one));
    expect(codes(text)).toEqual([]);
    expect(Verdict.safeParse(judge(read(text))).success).toBe(true);
  });

  it("never makes reading or judging throw", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constantFrom(...LINES),
      fc.constantFrom(...LINES).chain((whole) => fc.nat(whole.length).map((end) => whole.slice(0, end))),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), fc.boolean(), (lines, ended) => {
        const text = `${lines.join("\n")}${ended ? "\n" : ""}`;
        const parsed = read(text);
        expect(parsed.problems.length).toBeLessThanOrEqual(101);
        expect(Verdict.safeParse(judge(parsed)).success).toBe(true);
        // Only the trace itself is a trace.
        if (text !== TEXT) expect(parsed.problems).not.toEqual([]);
      }),
    );
  });
});

function withProto(record: object): object {
  return Object.defineProperty({ ...record }, "__proto__", {
    value: { polluted: true },
    enumerable: true,
  });
}
