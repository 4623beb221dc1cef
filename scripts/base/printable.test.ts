import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable, printableData, printableJson, printableLines } from "./printable.ts";

describe("text of somebody else's", () => {
  it.each([
    ["a colour", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["a title of the window", "\u001b]0;owned\u0007", "\\u001b]0;owned\\u0007"],
    ["an eight-bit sequence", "\u009b2J", "\\u009b2J"],
    ["a line that looks like the kit's", "x\n✓ all is well\r", "x\\n✓ all is well\\r"],
    ["other line breaks", "a\u2028b\u0085c\td", "a\\u2028b\\u0085c\\td"],
    ["a turned direction", "abc\u202Egpj.exe\u2066", "abc\\u202egpj.exe\\u2066"],
    ["what has no width", "no\u200b\ufeffwhere", "no\\u200b\\ufeffwhere"],
    ["half of a character", "\ud800", "\\ud800"],
    ["a tag beyond the first plane", "\u{e0041}", "\\u{e0041}"],
  ])("shows %s as an escape", (_, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("is left as it is where it can be printed", () => {
    for (const text of ["opencode/after-commit/abort", "Grüße, 世界 👍", "– · → ✓ “quoted”"])
      expect(printable(text)).toBe(text);
  });

  it("never reaches a terminal as a control, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(printableLines(text).split("\n")).toHaveLength(text.split("\n").length);
      }),
    );
  });

  it("is JSON that says the same", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })), (value) => {
        const text = printableJson(value);
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { examples: [[{ "\u202e": "\u{e0041}\u009b" }]] },
    );
  });

  it("is found anywhere in a value, and a value without it is not copied", () => {
    const fine = { condition: "a/b", list: [{ words: "so" }, 1, null, true] };
    expect(printableData(fine)).toBe(fine);
    expect(printableData({ ...fine, "k\u001b": ["\n", { deep: "\u202e" }] })).toEqual({
      ...fine,
      "k\\u001b": ["\\n", { deep: "\\u202e" }],
    });
  });
});
