import { describe, expect, it } from "vitest";
import { type ColumnContent, columnWidths } from "./column-widths.ts";

/** No piece of a word is as wide. */
const WHOLE = Number.POSITIVE_INFINITY;
const words = (...values: string[]): ColumnContent => ({ values, whole: false });
const numbers = (...values: string[]): ColumnContent => ({ values, whole: true });

describe("columns that share a width", () => {
  it("are as wide as their values where there is room, with nothing to spare", () => {
    expect(columnWidths([words("restored", "lost"), numbers("1/1", "–")], 100, WHOLE)).toEqual([8, 3]);
    expect(columnWidths([words(), words("")], 100, WHOLE)).toEqual([1, 1]);
  });

  it("are narrowed where it adds the fewest lines", () => {
    const often = words("model-reissue", "model-reissue", "model-reissue");
    const once = words("settled-by-policy", "resumed", "resumed");
    expect(columnWidths([often, once], 28, WHOLE)).toEqual([13, 11]);
  });

  it("are unfolded again where a step saved more than was needed", () => {
    const [once, twice] = [words("ab-cd", "x"), words("abcdefghijkl-mnop", "abcdefghijkl-mnop")];
    expect(columnWidths([once, twice], 20, WHOLE)).toEqual([3, 17]);
    expect(columnWidths([once, twice], 18, WHOLE)).toEqual([5, 13]);
  });

  it("cannot be narrower than one letter", () => {
    expect(columnWidths([words("漢字")], 1, 1)).toBeNull();
  });

  it("break words, and then the values of whole columns, only when they may", () => {
    const contents = [words("indistinguishable"), numbers("299/299")];
    expect(columnWidths(contents, 20, WHOLE)).toBeNull();
    expect(columnWidths(contents, 20, 16)).toBeNull();
    expect(columnWidths(contents, 20, 6)).toEqual([13, 7]);
    expect(columnWidths(contents, 12, 6)).toBeNull();
    expect(columnWidths(contents, 2, 1)).toEqual([1, 1]);
    expect(columnWidths(contents, 1, 1)).toBeNull();
  });
});
