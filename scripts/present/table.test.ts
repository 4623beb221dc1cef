import { describe, expect, it } from "vitest";
import type { ConditionRow } from "./rows.ts";
import { fold } from "./rows.ts";
import { renderTable } from "./table.ts";

const row = (cells: string[], fields: Partial<ConditionRow> = {}): ConditionRow => ({
  condition: "opencode/after-commit/abort/append/reissue",
  canary: false,
  cells,
  tone: "good",
  ...fields,
});
const CELLS = ["1/1", "restored", "resumed", "same", "1", "1/1", "ok", "–", "30.1", "yes"];

describe("the table", () => {
  it("puts each condition on a line of its own, with its values in line under the titles", () => {
    expect(renderTable([row(CELLS), row(CELLS, { condition: "canary-replay/x", canary: true })])).toBe(
      [
        "valid/  session   execution  executor  at-     effects/  flags  repeat  woke  as ex-",
        "trials                                 tempts  intended         cause   (s)   pected",
        "",
        "opencode/after-commit/abort/append/reissue",
        "  1/1   restored  resumed    same      1       1/1       ok     –       30.1  yes",
        "",
        "canary-replay/x (canary, must be convicted)",
        "  1/1   restored  resumed    same      1       1/1       ok     –       30.1  yes",
      ].join("\n"),
    );
  });

  it("fits 100 columns with the longest words that a verdict has", () => {
    const words = [
      ["100/100", 5],
      ["intact-not-reactivated", 11],
      ["not-interrupted ×10", 11],
      ["replacement-without-state", 12],
      ["2 ×10", 6],
      ["10/10 ×5", 8],
      ["unresolved", 10],
      ["concurrent-owner", 11],
      ["100.1", 5],
      ["2 of 3", 6],
    ] as const;
    const text = renderTable([row(words.map(([word, width]) => fold(word, width)))]);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(text).toContain("intact-not-");
  });

  it("paints every line of a cell by itself, and measures without the paint", () => {
    const painted = renderTable([row(CELLS)], (_, text) => `\u001b[1m${text}\u001b[22m`);
    for (const line of painted.split("\n"))
      expect(line.split("\u001b[1m").length).toBe(line.split("\u001b[22m").length);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes that were put in above.
    expect(painted.replace(/\u001b\[\d+m/g, "").replace(/ +$/gm, "")).toBe(renderTable([row(CELLS)]));
  });
});
