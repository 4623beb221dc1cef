import { describe, expect, it } from "vitest";
import type { RunProgress } from "../run/run-plan.ts";
import { durationText, plain, progressText } from "./progress.ts";

const at = (fields: Partial<RunProgress> = {}): RunProgress => ({
  stage: "running",
  total: 15,
  queued: 0,
  running: 12,
  ended: 3,
  phases: { reset: 2, quiet: 10 },
  leftMs: 37_200,
  ...fields,
});

describe("progress in words", () => {
  it("says stage, counts, phases and time left", () => {
    expect(progressText(at())).toBe(
      "running · 3/15 ended · 12 running (quiet 10, reset 2) · about 38 s left",
    );
  });

  it("leaves out what there is nothing to say about", () => {
    expect(
      progressText(at({ stage: "bundling", running: 0, ended: 0, queued: 15, phases: {}, leftMs: null })),
    ).toBe("bundling · 0/15 ended · 15 waiting");
  });

  it("is cut to the terminal's width, so that it stays one line, but for the time left", () => {
    const text = progressText(at(), 30);
    expect(text).toHaveLength(30);
    expect(text).toBe("running · 3… · about 38 s left");
    expect(progressText(at({ leftMs: null }), 30)).toBe("running · 3/15 ended · 12 run…");
  });

  it("never loses the time left, whatever else there is to say", () => {
    const phases = { prepare: 100, submit: 200, arrive: 300, look: 400, reset: 500, quiet: 600, settle: 700 };
    for (let width = 30; width <= 80; width += 1) {
      const text = progressText(at({ total: 3_000, queued: 999, running: 2_800, phases }), width);
      expect(text).toHaveLength(width);
      expect(text.endsWith("… · about 38 s left")).toBe(true);
    }
  });

  it.each([
    [0, "0 s"],
    [1_200, "2 s"],
    [99_000, "99 s"],
    [100_000, "2 min"],
  ])("%i ms is %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe("progress outside a terminal", () => {
  function display() {
    const written: string[] = [];
    let now = 0;
    const progress = plain({ write: (text) => written.push(text) }, () => now);
    return { written, progress, pass: (ms: number) => (now += ms) };
  }

  it("writes a line when something changed, and not for the time left alone", () => {
    const { written, progress, pass } = display();
    progress.show(at({ leftMs: 37_000 }));
    pass(6_000);
    progress.show(at({ leftMs: 31_000 }));
    pass(6_000);
    progress.show(at({ ended: 4, running: 11, leftMs: 25_000 }));
    expect(written.map((line) => line.split(" · ")[1])).toEqual(["3/15 ended", "4/15 ended"]);
    expect(written[1]?.endsWith("about 25 s left\n")).toBe(true);
  });

  it("holds changes back for a few seconds, but never a new stage", () => {
    const { written, progress, pass } = display();
    progress.show(at());
    pass(400);
    progress.show(at({ ended: 4 }));
    pass(400);
    progress.show(at({ ended: 5, stage: "stopping" }));
    expect(written.map((line) => line.split(" · ").slice(0, 2))).toEqual([
      ["running", "3/15 ended"],
      ["stopping", "5/15 ended"],
    ]);
  });

  it("writes every note at once", () => {
    const { written, progress } = display();
    progress.note("kill of slot kill-1");
    progress.note("r1-003 ended");
    expect(written).toEqual(["kill of slot kill-1\n", "r1-003 ended\n"]);
  });
});
