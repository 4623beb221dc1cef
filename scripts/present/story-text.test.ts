import { describe, expect, it } from "vitest";
import { t01 } from "../../src/reconcile/cases/traces.ts";
import { judge } from "../../src/reconcile/judge.ts";
import { tellTrial } from "../../src/story/story.ts";
import { PLAIN } from "./paint.ts";
import { rangesOf, renderStory } from "./story-text.ts";
import { widthOf } from "./wrap.ts";

const parsed = t01().toParsed();
const story = tellTrial(parsed, judge(parsed));
const shown = (width: number, records: { from: number; to: number } | null = null) =>
  renderStory(story, { page: { paint: PLAIN, width }, records });

describe("a story in the terminal", () => {
  it("shows the effects, the reset and the answers with their records", () => {
    const text = shown(100);
    expect(text).toContain("EFFECT e1 by attempt 1");
    expect(text).toContain("RESET 1: abort (ctx.abort())");
    expect(text).toMatch(/operations: 2 of 1 intended/);
    expect(text).toMatch(/Records \d+/);
  });

  it("says on which host it was obtained, and what that is worth", () =>
    expect(shown(100)).toContain("it is not a measurement of OpenCode"));

  it("leaves out what a reader does not need, and says how to see it", () => {
    expect(shown(100)).not.toContain("phase prepare");
    expect(shown(100)).toContain(`--records 1-${story.entries.length} shows all`);
    expect(shown(100, { from: 1, to: story.entries.length })).toContain("phase prepare");
  });

  it("shows the records that were asked for and no others", () => {
    const text = shown(100, { from: 2, to: 3 });
    const rows = text.split("\n").filter((line) => /^-?\d+\.\d\d +\d+ /.test(line.trim()));
    expect(rows.map((line) => Number(line.trim().split(/ +/)[1]))).toEqual([2, 3]);
  });

  it.each([60, 80, 140])("keeps to a width of %i", (width) =>
    expect(widthOf(shown(width))).toBeLessThanOrEqual(width),
  );
});

it("draws neighbouring records together", () => {
  expect(rangesOf([1, 2, 3, 7, 9, 10])).toBe("1–3, 7, 9–10");
  expect(rangesOf([])).toBe("");
});
