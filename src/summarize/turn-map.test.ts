import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NumberedWrite, Side } from "../trace/writes.ts";
import { type CrashPoint, firstDifference, rangesOf, type TurnAnswers } from "./turn-map.ts";

const ONCE: TurnAnswers = {
  session: "restored",
  execution: "resumed",
  effects: "1/1 ok",
  told: "not-applicable",
  stuck: "no",
};
const TWICE: TurnAnswers = { ...ONCE, effects: "2/1 duplicate", told: "outcome-unknown" };

function write(number: number, group: number, table = "note"): NumberedWrite {
  return { number, group, kind: "insert", table, nth: number, rows: 1, msSinceSubmit: number * 10 };
}

function point(number: number, side: Side, answers: TurnAnswers | null): CrashPoint {
  return {
    place: { number, side, kind: "insert", table: "note", nth: number },
    trial: `t-${number}-${side}`,
    progress: "asked",
    answers,
    why: answers === null ? "write-passed" : null,
    number,
  };
}

describe("ranges of a turn", () => {
  it("hold neighbours with equal answers, with what they write and how long that took", () => {
    const writes = [write(1, 1), write(2, 1, "jobs"), write(3, 2), write(4, 3)];
    const points = [
      point(1, "before", ONCE),
      point(2, "after", ONCE),
      point(3, "before", TWICE),
      point(3, "after", ONCE),
      point(4, "before", ONCE),
      point(4, "after", ONCE),
    ];
    expect(rangesOf(points, writes)).toMatchObject([
      { from: { number: 1 }, to: { number: 2 }, answers: ONCE, points: 2, writes: 2, groups: 1, ms: 20 },
      { from: { number: 3 }, to: { number: 3 }, answers: TWICE, points: 1, writes: 1, groups: 1, ms: 0 },
      { from: { number: 3 }, to: { number: 4 }, answers: ONCE, points: 3, writes: 2, groups: 2 },
    ]);
    expect(rangesOf(points, writes)[0]?.tables).toEqual(["note", "jobs"]);
  });

  it("leave out a point without an answer, and do not end at it", () => {
    const points = [point(1, "before", ONCE), point(1, "after", null), point(2, "before", ONCE)];
    expect(rangesOf(points, [write(1, 1), write(2, 2)])).toMatchObject([{ points: 2, writes: 2 }]);
  });

  it("hold each answered point once and in order, and no two neighbours are alike", () => {
    const answered = fc.constantFrom(ONCE, TWICE, { ...ONCE, stuck: "yes" }, null);
    fc.assert(
      fc.property(fc.array(answered, { maxLength: 40 }), (all) => {
        const points = all.map((answers, index) => point(index + 1, "after", answers));
        const ranges = rangesOf(
          points,
          points.map(({ place }) => write(place.number, place.number)),
        );
        const held = points.filter(({ answers }) => answers !== null);
        expect(ranges.reduce((sum, range) => sum + range.points, 0)).toBe(held.length);
        for (const [index, range] of ranges.entries()) {
          const within = held.filter(
            ({ place }) => place.number >= range.from.number && place.number <= range.to.number,
          );
          expect(within).toHaveLength(range.points);
          for (const { answers } of within) expect(answers).toEqual(range.answers);
          expect(range.answers).not.toEqual(ranges[index + 1]?.answers);
        }
      }),
    );
  });
});

describe("two countings of a turn", () => {
  it("are the same where each write is, whatever its time and group", () => {
    const counted = [write(1, 1), write(2, 1)];
    expect(firstDifference([counted, counted.map((one) => ({ ...one, group: 9, msSinceSubmit: 7 }))])).toBe(
      null,
    );
  });

  it("differ at the first write that one of them has otherwise, or has not", () => {
    expect(firstDifference([[write(1, 1), write(2, 1)], [write(1, 1)]])).toBe(2);
    expect(firstDifference([[write(1, 1)], [write(1, 1, "jobs")]])).toBe(1);
  });
});
