import { describe, expect, it } from "vitest";
import type { ConditionRow } from "./condition-rows.ts";
import { renderTable } from "./condition-table.ts";
import { PLAIN_PAGE } from "./page.ts";

const CELLS = ["restored", "resumed", "same", "1", "1/1", "ok", "–", "30.1"];
const row = (fields: Partial<ConditionRow> = {}): ConditionRow => ({
  condition: "opencode/after-commit/abort/append/reissue",
  family: "gap",
  canary: false,
  remark: "",
  cells: CELLS,
  note: "",
  tone: "good",
  ...fields,
});
const canary = row({ condition: "canary-replay/x", family: "canaries", canary: true });

describe("the table", () => {
  it("puts conditions under their block, each with a mark and its values in line under the titles", () => {
    const [legend, ...lines] = renderTable([row(), row({ tone: "bad" }), canary]).split("\n");
    expect(legend).toMatch(/✓ as expected .* att\.: attempts/);
    expect(lines.join("\n")).toBe(
      [
        "  session   execution  executor  att.  effects  flags  repeat  woke",
        "",
        "gap (2)",
        "✓ opencode/after-commit/abort/append/reissue",
        "  restored  resumed    same      1     1/1      ok     –       30.1",
        "✗ opencode/after-commit/abort/append/reissue",
        "  restored  resumed    same      1     1/1      ok     –       30.1",
        "",
        "canaries (1), each to be convicted",
        "✓ canary-replay/x",
        "  restored  resumed    same      1     1/1      ok     –       30.1",
      ].join("\n"),
    );
  });

  it("says beside the name how many trials are behind the values, and below it where there is no room", () => {
    const remark = "298/299 valid, 297 of 298 as expected, cancelled";
    const long = `opencode/${"x".repeat(60)}`;
    const lines = renderTable([row({ remark, tone: "open" }), row({ condition: long, remark })]).split("\n");
    expect(lines).toContain(`? ${row().condition}  ${remark}`);
    expect(lines.slice(lines.indexOf(`✓ ${long}`)).slice(0, 2)).toEqual([`✓ ${long}`, `  ${remark}`]);
  });

  it("says below the values what is more than a word, within the width", () => {
    const note = "rebound g1→g2 · old work interrupted · result reconstructed · new work admitted";
    const lines = renderTable([row({ note })], { ...PLAIN_PAGE, width: 60 }).split("\n");
    const below = lines.slice(lines.findIndex((line) => line.includes("rebound")));
    expect(below.map((line) => line.trim()).join(" ")).toBe(note);
    expect(Math.max(...below.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it("has no line of values for a condition without a valid trial", () => {
    const lines = renderTable([row({ cells: null, remark: "0/1 valid, cancelled", tone: "open" })]).split(
      "\n",
    );
    expect(lines.at(-1)).toBe("? opencode/after-commit/abort/append/reissue  0/1 valid, cancelled");
  });

  const longest = row({
    cells: [
      "intact-not-reactivated",
      "settled-by-policy ×10",
      "replacement-without-state",
      "10 ×100",
      "10/10 ×500",
      "unresolved ×10",
      "tool-internal-retry",
      "100.1",
    ],
  });

  it.each([60, 80, 100, 140])("fits %i columns with the longest words that a verdict has", (width) => {
    const text = renderTable([longest], { ...PLAIN_PAGE, width });
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(text).toContain("intact-not-reactivated");
  });

  it.each([60, 80, 100])("breaks no row in two at %i columns: the longest words go below", (width) => {
    const usual = [
      ["restored", "not-interrupted", "same", "1", "1/1", "ok", "–", "–"],
      [
        "restored",
        "resumed",
        "replacement-with-state",
        "2",
        "2/1",
        "unresolved",
        "model-reissue",
        "27.1–29.7",
      ],
      ["lost", "not-resumed", "replacement-without-state", "2", "2/1", "duplicate", "caller-resubmit", "1.2"],
    ].map((cells, place) => row({ condition: `c${place}`, cells }));
    const lines = renderTable(usual, { ...PLAIN_PAGE, width }).split("\n");
    for (const [place, { cells }] of usual.entries()) {
      const values = lines[lines.indexOf(`✓ c${place}`) + 1]?.trim().split(/ +/) ?? [];
      const below = lines[lines.indexOf(`✓ c${place}`) + 2] ?? "";
      expect(values).toEqual(cells?.filter((value) => values.includes(value)));
      expect(values.length).toBeGreaterThanOrEqual(6);
      if (!values.includes(cells?.[2] ?? "")) expect(below).toContain(`executor ${cells?.[2]}`);
    }
  });

  it("paints line by line, and measures without the paint", () => {
    const rows = [row({ cells: ["a\nb", ...CELLS.slice(1)] }), row({ remark: "0/1 valid", cells: null })];
    const painted = renderTable(rows, { ...PLAIN_PAGE, paint: (_, text) => `\u001b[1m${text}\u001b[22m` });
    for (const line of painted.split("\n"))
      expect(line.split("\u001b[1m").length).toBe(line.split("\u001b[22m").length);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes that were put in above.
    expect(painted.replace(/\u001b\[\d+m/g, "")).toBe(renderTable(rows));
  });
});
