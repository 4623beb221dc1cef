import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reset } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { SlotSchedule } from "./schedule.ts";

/** The schedule reads the trial's id and its reset only. */
function spec(trial: string, reset: Reset, resets: number): TrialSpec {
  return { trial, factors: { reset, resets } } as TrialSpec;
}

function specs(count: number, reset: Reset, resets = 1): TrialSpec[] {
  return Array.from({ length: count }, (_, index) => spec(`t${index}`, reset, resets));
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
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual([]);
  });

  it("hands out each trial that waits for something done to its object, without waiting for the others", () => {
    const schedule = new SlotSchedule("default", specs(3, "evict"), 3);
    schedule.takeNext();
    schedule.note("t1", "awaiting-reset", 1);
    expect(schedule.takeSingles()).toEqual(["t1"]);
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeSingles()).toEqual(["t0"]);
  });

  it("hands out a single once for each ordinal, however often the trial is still seen waiting for it", () => {
    const schedule = new SlotSchedule("default", specs(1, "evict", 2), 1);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeSingles()).toEqual(["t0"]);
    // Until the eviction is reported, the trial's state says the same as before.
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeSingles()).toEqual([]);
    schedule.note("t0", "running");
    schedule.note("t0", "awaiting-reset", 2);
    expect(schedule.takeSingles()).toEqual(["t0"]);
  });
});

describe("a slot with process resets", () => {
  it("resets a wave only when every open trial of it waits for the reset", () => {
    const schedule = new SlotSchedule("kill-1", specs(3, "kill"), 3);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual([]);
    schedule.note("t1", "ended");
    schedule.note("t2", "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual(["t0", "t2"]);
  });

  it("hands out a barrier once, however often its trials are still seen waiting for that reset", () => {
    const schedule = new SlotSchedule("kill-1", specs(2, "kill"), 2);
    schedule.takeNext();
    for (const trial of ["t0", "t1"]) schedule.note(trial, "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual(["t0", "t1"]);
    expect(schedule.takeBarrier()).toEqual([]);
    for (const trial of ["t0", "t1"]) schedule.note(trial, "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual([]);
  });

  it("stands at a barrier again when all of the wave wait for their next reset", () => {
    const schedule = new SlotSchedule("kill-2", specs(3, "kill", 2), 3);
    schedule.takeNext();
    for (const trial of ["t0", "t1", "t2"]) schedule.note(trial, "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual(["t0", "t1", "t2"]);
    schedule.note("t1", "running");
    schedule.note("t1", "awaiting-reset", 2);
    // One that is still seen at the first reset has not come as far as the others.
    schedule.note("t0", "awaiting-reset", 1);
    schedule.note("t2", "ended");
    expect(schedule.takeBarrier()).toEqual([]);
    schedule.note("t0", "awaiting-reset", 2);
    expect(schedule.takeBarrier()).toEqual(["t0", "t1"]);
  });

  it("never hands out a trial of a wave by itself", () => {
    const schedule = new SlotSchedule("kill-1", specs(2, "kill"), 2);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeSingles()).toEqual([]);
  });

  it("waits in waves for a process reset that comes after another kind of reset", () => {
    const schedule = new SlotSchedule("kill-1", specs(2, "interrupt-then-kill"), 2);
    schedule.takeNext();
    schedule.note("t0", "awaiting-reset", 2);
    expect(schedule.takeBarrier()).toEqual([]);
    schedule.note("t1", "awaiting-reset", 2);
    expect(schedule.takeBarrier()).toEqual(["t0", "t1"]);
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

describe("a slot that has room for few at a time", () => {
  it("starts no more than there is room for, and the others when there is more", () => {
    const schedule = new SlotSchedule("default", specs(4, "abort"), 3);
    expect(names(schedule.takeNext(1))).toEqual(["t0"]);
    expect(names(schedule.takeNext(0))).toEqual([]);
    expect(names(schedule.takeNext(5))).toEqual(["t1", "t2"]);
  });

  it("takes as many trials as fit by their weights, and the first one in any case", () => {
    const weights = [3, 3, 1, 9];
    const schedule = new SlotSchedule("default", specs(4, "abort"), 10);
    const weightOf = ({ trial }: TrialSpec) => weights[Number(trial.slice(1))] ?? 1;
    expect(names(schedule.takeNext(4, weightOf))).toEqual(["t0"]);
    expect(names(schedule.takeNext(0, weightOf))).toEqual([]);
    expect(names(schedule.takeNext(4, weightOf))).toEqual(["t1", "t2"]);
    expect(names(schedule.takeNext(2, weightOf))).toEqual(["t3"]);
  });

  it("resets a wave only when all of it was started", () => {
    const schedule = new SlotSchedule("kill-1", specs(3, "kill"), 2);
    expect(names(schedule.takeNext(1))).toEqual(["t0"]);
    schedule.note("t0", "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual([]);
    expect(names(schedule.takeNext(5))).toEqual(["t1"]);
    schedule.note("t1", "awaiting-reset", 1);
    expect(schedule.takeBarrier()).toEqual(["t0", "t1"]);
  });

  it("goes on with its wave when what was started of it has ended", () => {
    const schedule = new SlotSchedule("kill-1", specs(3, "kill"), 2);
    schedule.takeNext(1);
    schedule.note("t0", "ended");
    expect(schedule.finished).toBe(false);
    expect(names(schedule.takeNext(5))).toEqual(["t1"]);
    // The third belongs to the next wave.
    expect(names(schedule.takeNext(5))).toEqual([]);
  });
});

describe("any slot", () => {
  it("runs every trial exactly once and never more at once than allowed", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom<Reset>("abort", "kill"),
        fc.integer({ min: 1, max: 6 }),
        fc.infiniteStream(fc.nat()),
        (count, concurrency, reset, room, picks) => {
          const schedule = new SlotSchedule("s", specs(count, reset), concurrency);
          const started: string[] = [];
          const open: string[] = [];
          while (!schedule.finished) {
            const next = names(schedule.takeNext(room));
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
