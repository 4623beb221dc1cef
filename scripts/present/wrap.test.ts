import { describe, expect, it } from "vitest";
import { fold, widthOf, widthUnbroken, wrap } from "./wrap.ts";

const RED = "\u001b[31m";
const NO_COLOUR = "\u001b[39m";

describe("folding a value", () => {
  it.each([
    ["resumed", 11, "resumed"],
    ["not-interrupted", 11, "not-\ninterrupted"],
    ["replacement-without-state", 12, "replacement-\nwithout-\nstate"],
    ["indistinguishable", 12, "indistinguis\nhable"],
    ["duplicate ×12", 10, "duplicate\n×12"],
    ["", 5, ""],
  ])("'%s' at %i columns", (text, width, folded) => {
    expect(fold(text, width).join("\n")).toBe(folded);
  });

  it("leaves a word whole that fits a line of its own", () => {
    expect(fold("by model-reissue", 13)).toEqual(["by", "model-reissue"]);
  });

  it("gives each line its own colour, and counts none of it", () => {
    expect(fold(`${RED}settled-by-policy\nresumed${NO_COLOUR}`, 11)).toEqual(
      ["settled-by-", "policy", "resumed"].map((line) => `${RED}${line}${NO_COLOUR}`),
    );
  });
});

describe("wrapping prose", () => {
  it("breaks at spaces, and indents every line", () => {
    expect(wrap("a path-with-hyphens in prose", 18, "  ")).toEqual([
      "  a",
      "  path-with-hyphens",
      "  in prose",
    ]);
  });

  it("leaves a word that is too long as it is, to be copied", () => {
    expect(wrap("see traces/run-1/run-1-t3.jsonl for more", 10)).toEqual([
      "see",
      "traces/run-1/run-1-t3.jsonl",
      "for more",
    ]);
  });
});

describe("widths", () => {
  it("are of the widest line, and of the widest piece", () => {
    expect(widthOf(`${RED}not-interrupted${NO_COLOUR}\nok`)).toBe(15);
    expect(widthUnbroken("not-interrupted ×12\nok")).toBe(11);
  });
});
