import { describe, expect, it } from "vitest";
import { type ColumnContent, columnWidths } from "./column-widths.ts";

const words = (...values: string[]): ColumnContent => ({ values, whole: false });
const numbers = (...values: string[]): ColumnContent => ({ values, whole: true });

describe("columns that share a width", () => {
  it("are as wide as their values where there is room, with nothing to spare", () => {
    expect(columnWidths([words("restored", "lost"), numbers("1/1", "–")], 100, "lines")).toEqual([8, 3]);
    expect(columnWidths([words(), words("")], 100, "lines")).toEqual([1, 1]);
  });

  it("are narrowed where it adds the fewest lines", () => {
    const often = words("model-reissue", "model-reissue", "model-reissue");
    const once = words("settled-by-policy", "resumed", "resumed");
    expect(columnWidths([often, once], 28, "lines")).toEqual([13, 11]);
  });

  it("are unfolded again where a step saved more than was needed", () => {
    const [once, twice] = [words("ab-cd", "x"), words("abcdefghijkl-mnop", "abcdefghijkl-mnop")];
    expect(columnWidths([once, twice], 20, "lines")).toEqual([3, 17]);
    expect(columnWidths([once, twice], 18, "lines")).toEqual([5, 13]);
  });

  it("cannot be narrower than one letter", () => {
    expect(columnWidths([words("漢字")], 1, "anything")).toBeNull();
  });

  it("break words, and then the values of whole columns, only when they may", () => {
    const contents = [words("indistinguishable"), numbers("299/299")];
    expect(columnWidths(contents, 20, "lines")).toBeNull();
    expect(columnWidths(contents, 20, "words")).toEqual([13, 7]);
    expect(columnWidths(contents, 12, "words")).toBeNull();
    expect(columnWidths(contents, 2, "anything")).toEqual([1, 1]);
    expect(columnWidths(contents, 1, "anything")).toBeNull();
  });
});
