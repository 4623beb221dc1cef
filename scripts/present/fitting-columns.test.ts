import { describe, expect, it } from "vitest";
import { fittingColumns } from "./fitting-columns.ts";

const TITLES = ["a", "long", "b"];
const ROWS = [
  ["1", "a-long-word", "2"],
  ["1", "–", "2"],
];
const fitted = (room: number) => fittingColumns(TITLES, ROWS, room, () => [1]);

describe("columns beside each other", () => {
  it("have wide gaps where there is room, then narrow ones", () => {
    expect([fitted(17).gap, fitted(16).gap, fitted(15).gap]).toEqual([2, 1, 1]);
    expect(fitted(15).titles).toEqual(TITLES);
  });

  it("give way in the order that was asked for, and their values are said with their titles", () => {
    const { titles, kept, below } = fitted(14);
    expect([titles, kept(ROWS[0]!), below(ROWS[0]!)]).toEqual([["a", "b"], ["1", "2"], ["long a-long-word"]]);
  });

  it("say nothing below of a value that is not there", () => expect(fitted(14).below(ROWS[1]!)).toEqual([]));

  it("stay where nothing more may give way", () => expect(fitted(1).titles).toEqual(["a", "b"]));

  it("put values of several lines below in one", () => {
    const { below } = fittingColumns(["a", "b"], [["x", "y ×2\nz"]], 4, () => [1]);
    expect(below(["x", "y ×2\nz"])).toEqual(["b y ×2, z"]);
  });
});
