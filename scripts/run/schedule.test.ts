import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reset } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { SlotSchedule } from "./schedule.ts";

/** The schedule reads the trial's id and its reset only. */
function spec(trial: string, reset: Reset): TrialSpec {
  return { trial, factors: { reset, resets: 1 } } as TrialSpec;
}

function specs(count: number, reset: Reset): TrialSpec[] {
  return Array.from({ length: count }, (_, index) => spec(`t${index}`, reset));
}

const names = (list: readonly TrialSpec[]) => list.map(({ trial }) => trial);

describe("a slot without process resets", () => {
  it("starts as many trials as may run at once and one more for each that ends", () => {
    const schedule = new SlotSchedule("default", specs(3, "abort"), 2);
    expect(names(schedule.takeNext())).toEqual(["t0", "t1"]);
    expect(names(schedule.takeNext())).toEqual([]);
    schedule.note("t1", "ended");
    expect(names(schedule.takeNext())).toEqual(["t2"]);
  });

  it("never stands at a barrier", () => {
    const schedule = new SlotSchedule("default", specs(1, "abort"), 1);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset");
    expect(schedule.takeBarrier()).toEqual([]);
  });
});

describe("a slot with process resets", () => {
  it("resets a wave only when every open trial of it waits for the reset", () => {
    const schedule = new SlotSchedule("kill-1", specs(3, "kill"), 3);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset");
    expect(schedule.takeBarrier()).toEqual([]);
    schedule.note("t1", "ended");
    schedule.note("t2", "awaiting-reset");
    expect(schedule.takeBarrier()).toEqual(["t0", "t2"]);
  });

  it("hands out a barrier once", () => {
    const schedule = new SlotSchedule("kill-1", specs(1, "kill"), 1);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset");
    expect(schedule.takeBarrier()).toEqual(["t0"]);
    expect(schedule.takeBarrier()).toEqual([]);
  });

  it("starts the next wave only when the process holds no open trial", () => {
    const schedule = new SlotSchedule("kill-1", specs(3, "kill"), 2);
    expect(names(schedule.takeNext())).toEqual(["t0", "t1"]);
    schedule.note("t0", "ended");
    expect(schedule.takeNext()).toEqual([]);
    schedule.note("t1", "ended");
    expect(names(schedule.takeNext())).toEqual(["t2"]);
  });
});

describe("any slot", () => {
  it("runs every trial exactly once and never more at once than allowed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom<Reset>("abort", "kill"),
        fc.infiniteStream(fc.nat()),
        (count, concurrency, reset, picks) => {
          const schedule = new SlotSchedule("s", specs(count, reset), concurrency);
          const started: string[] = [];
          const open: string[] = [];
          while (!schedule.finished) {
            const next = names(schedule.takeNext());
            started.push(...next);
            open.push(...next);
            expect(open.length).toBeLessThanOrEqual(concurrency);
            expect(open.length).toBeGreaterThan(0);
            const pick = picks.next().value ?? 0;
            const [ended] = open.splice(pick % open.length, 1);
            schedule.note(ended ?? "", "ended");
          }
          expect(started.toSorted()).toEqual(names(specs(count, reset)).toSorted());
        },
      ),
    );
  });
});
