import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance, LOG_START, type LogCursor, repairRead } from "./log-cursor.ts";
import { mergeRanges, withoutNumbers } from "./ranges.ts";
import { inspectLog } from "./session-log.ts";

/** One read that begins after `after` and shows these sequence numbers. */
function read(after: number | null, seqs: readonly number[], synced: number | null = null) {
  const items: unknown[] = seqs.map((seq) => ({
    id: `evt_${seq}`,
    type: "t",
    data: {},
    durable: { aggregateID: "s", seq },
  }));
  if (synced !== null) items.push({ type: "log.synced", aggregateID: "s", seq: synced });
  return inspectLog(items, { after });
}

describe("a cursor", () => {
  test("goes on after the last event", () => {
    const first = advance(LOG_START, read(null, [0, 1, 2]));
    expect(first).toEqual({ cursor: { after: 2, missing: [] }, repaired: [] });
    expect(advance(first.cursor, read(2, [3])).cursor).toEqual({ after: 3, missing: [] });
    expect(repairRead(first.cursor)).toEqual({ needed: false });
  });

  test("stays where it is when nothing came", () => {
    expect(advance(LOG_START, read(null, [])).cursor).toEqual(LOG_START);
    expect(advance({ after: 4, missing: [] }, read(4, [], 4)).cursor).toEqual({ after: 4, missing: [] });
  });

  test("a second read repairs a gap", () => {
    const broken = advance(LOG_START, read(null, [0, 4, 5])).cursor;
    expect(broken).toEqual({ after: 5, missing: [{ from: 1, to: 3 }] });
    expect(repairRead(broken)).toEqual({ needed: true, after: 0 });
    expect(advance(broken, read(0, [1, 2, 3, 4, 5]))).toEqual({
      cursor: { after: 5, missing: [] },
      repaired: [{ from: 1, to: 3 }],
    });
  });

  test("a second read that repairs only a part leaves the rest missing", () => {
    const broken: LogCursor = { after: 5, missing: [{ from: 1, to: 3 }] };
    expect(advance(broken, read(0, [2, 4, 5]))).toEqual({
      cursor: {
        after: 5,
        missing: [
          { from: 1, to: 1 },
          { from: 3, to: 3 },
        ],
      },
      repaired: [{ from: 2, to: 2 }],
    });
  });

  test("a gap at the start is repaired by a read from the start", () => {
    expect(repairRead({ after: 3, missing: [{ from: 0, to: 0 }] })).toEqual({ needed: true, after: null });
  });

  test("events that the watermark promises and nobody saw are missing", () => {
    expect(advance(LOG_START, read(null, [0], 2)).cursor).toEqual({
      after: 2,
      missing: [{ from: 1, to: 2 }],
    });
  });

  test("events that an earlier read showed and a later one lacks are missing", () => {
    expect(advance({ after: 3, missing: [] }, read(null, [0, 3])).cursor.missing).toEqual([
      { from: 1, to: 2 },
    ]);
  });

  test("takes a gap of any size", () => {
    const far = Number.MAX_SAFE_INTEGER - 1;
    expect(advance(LOG_START, read(null, [far])).cursor).toEqual({
      after: far,
      missing: [{ from: 0, to: far - 1 }],
    });
  });
});

test("ranges behave as the sets of numbers that they stand for", () => {
  const range = fc
    .record({ from: fc.nat(30), size: fc.nat(5) })
    .map(({ from, size }) => ({ from, to: from + size }));
  const members = (ranges: readonly { from: number; to: number }[]) =>
    ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
  fc.assert(
    fc.property(fc.array(range), fc.array(fc.nat(40)), (ranges, numbers) => {
      const merged = mergeRanges(ranges);
      expect(members(merged)).toEqual([...new Set(members(ranges))].sort((a, b) => a - b));
      const gone = new Set(numbers);
      expect(members(withoutNumbers(merged, numbers))).toEqual(members(merged).filter((n) => !gone.has(n)));
    }),
  );
});
