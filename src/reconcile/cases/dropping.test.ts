/**
 * What is lost never helps. Records are dropped from every case trace, in three ways:
 *
 * - as they are: the numbering shows it, and the trial is invalid;
 * - renumbered under the old header: the header's count shows it, and the trial is invalid;
 * - renumbered under a header that was made to fit: only the meaning of the records is left to show it. This is
 *   what no real loss looks like (the hash chain stands before it); it shows how far each verdict rests on records that
 *   another record asks for.
 *
 * In the third way two losses cannot be seen, because nothing is left that refers to what was lost. They are
 * excluded by name below (`blindSpot`), and a test shows that each of them is one:
 *
 * - an attempt together with every record that names it (`attempt.received` up to its receipts), when it was the last;
 * - the look before the reset together with its phase, so that nothing is left to compare the log with.
 *
 * Losses that change no value checked here go unseen as well: phases other than `settle` and `look`, expired waits,
 * `model.answered` of turns that end, `client.reconnected`, probes, released holds, late activations.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../../trace/records.ts";
import { judge } from "../judge.ts";
import { parsedFrom, type TraceBuilder } from "../testing/trace-builder.ts";
import type { Verdict } from "../verdict.ts";
import { damagedLog, FURTHER_CASES } from "./further-traces.ts";
import { isPass } from "./pass.ts";
import { CASES, t01 } from "./traces.ts";

const ALL = Object.entries({ ...CASES, ...FURTHER_CASES }).map(([name, build]) => ({ name, trace: build() }));
const RUNS = 300;

describe.each(ALL)("$name", ({ trace }) => {
  const whole = judge(trace.toParsed());

  it("is invalid when records are missing from the numbering", () => {
    fc.assert(
      fc.property(droppedOf(trace), (dropped) => {
        const records = trace.records.filter((record) => !dropped.has(record));
        const { validity } = judge(parsedFrom(records, trace.spec, trace.environment));
        expect(validity.value).toBe("invalid");
      }),
      { numRuns: RUNS },
    );
  });

  it("is invalid when the rest is renumbered under the old header", () => {
    fc.assert(
      fc.property(droppedOf(trace), (dropped) => {
        const { header } = trace.toParsed();
        const { validity } = judge({ header, records: renumber(trace, dropped), problems: [] });
        expect(validity.reasons.map(({ code }) => code)).toContain("tail-missing");
      }),
      { numRuns: RUNS },
    );
  });

  it("never looks better for any one lost record, even renumbered under a fitting header", () => {
    for (const record of trace.records) expectNoBetter(trace, whole, new Set([record]));
  });

  it("never looks better for any lost records, even renumbered under a fitting header", () => {
    fc.assert(
      fc.property(droppedOf(trace), (dropped) => {
        fc.pre(blindSpot(trace, dropped) === null);
        expectNoBetter(trace, whole, dropped);
      }),
      { numRuns: RUNS },
    );
  });

  it("is never taken for a pass when it is one and lacks a record that a value rests on", () => {
    if (!isPass(whole)) return;
    const deciding = new Set(
      [whole.session, whole.executor, whole.stuck, ...whole.operations].flatMap(({ evidence }) => evidence),
    );
    for (const record of trace.records)
      if (deciding.has(record.seq)) expect(isPass(judgeWithout(trace, new Set([record])))).toBe(false);
  });
});

describe("blind spots of a renumbered trace under a fitting header", () => {
  it("does not see that the last attempt is gone with all its records", () => {
    const trace = t01();
    const dropped = new Set(trace.records.filter((record) => "attempt" in record && record.attempt === 2));
    expect(blindSpot(trace, dropped)).toBe("attempt");
    const verdict = judgeWithout(trace, dropped);
    expect(verdict.validity.value).toBe("valid");
    expect(verdict.operations[0]?.effects).toBe(1);
    // The session log is no ledger, but it does remember the call.
    expect(verdict.callMismatches.map(({ call, recorded }) => ({ call, recorded }))).toContainEqual({
      call: "c2",
      recorded: "succeeded",
    });
  });

  it("does not see that the look is gone with its phase", () => {
    const trace = damagedLog();
    const dropped = new Set(
      trace.records.filter(
        (record) =>
          (record.type === "phase.entered" && record.phase === "look") ||
          (record.type === "snapshot.log" && record.when === "look"),
      ),
    );
    expect(blindSpot(trace, dropped)).toBe("look");
    expect(judge(trace.toParsed()).session.value).toBe("restored-damaged");
    expect(judgeWithout(trace, dropped).session.value).toBe("restored");
  });
});

function expectNoBetter(trace: TraceBuilder, whole: Verdict, dropped: ReadonlySet<JournalRecord>): void {
  const rest = judgeWithout(trace, dropped);
  const lost = [...dropped].map(({ type, seq }) => `${seq} ${type}`).join(", ");
  if (!isPass(whole)) expect(isPass(rest), `a pass without ${lost}`).toBe(false);
  if (whole.validity.value === "valid" && fails(whole))
    expect(rest.validity.value === "valid" && isOk(rest), `ok without ${lost}`).toBe(false);
}

function judgeWithout(trace: TraceBuilder, dropped: ReadonlySet<JournalRecord>): Verdict {
  return judge(parsedFrom(renumber(trace, dropped), trace.spec, trace.environment));
}

function renumber(trace: TraceBuilder, dropped: ReadonlySet<JournalRecord>): JournalRecord[] {
  return trace.records
    .filter((record) => !dropped.has(record))
    .map((record, index) => ({ ...record, seq: index + 1 }));
}

/** Which of the two invisible losses `dropped` contains, if any. */
function blindSpot(trace: TraceBuilder, dropped: ReadonlySet<JournalRecord>): "attempt" | "look" | null {
  const gone = (records: readonly JournalRecord[]) =>
    records.length > 0 && records.every((record) => dropped.has(record));
  const attempts = trace.records.flatMap((record) =>
    record.type === "attempt.received" ? record.attempt : [],
  );
  for (const attempt of attempts)
    if (gone(trace.records.filter((record) => "attempt" in record && record.attempt === attempt)))
      return "attempt";
  const looks = trace.records.filter((record) => record.type === "snapshot.log" && record.when === "look");
  const phase = trace.records.filter((record) => record.type === "phase.entered" && record.phase === "look");
  return gone(looks) && gone(phase) ? "look" : null;
}

/** One to eight records, or any subset. */
function droppedOf(trace: TraceBuilder): fc.Arbitrary<ReadonlySet<JournalRecord>> {
  const some = fc.uniqueArray(fc.constantFrom(...trace.records), { minLength: 1, maxLength: 8 });
  const any = fc.subarray(trace.records, { minLength: 1 });
  return fc.oneof({ arbitrary: some, weight: 4 }, { arbitrary: any, weight: 1 }).map((list) => new Set(list));
}

function fails(verdict: Verdict): boolean {
  return verdict.operations.some(({ flags }) => flags.includes("duplicate") || flags.includes("lost"));
}

function isOk(verdict: Verdict): boolean {
  return verdict.operations.every(({ flags }) => flags.join() === "ok");
}
