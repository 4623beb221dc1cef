import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../trace/records.ts";
import { CASES } from "./cases/traces.ts";
import { judge } from "./judge.ts";
import type { Verdict } from "./verdict.ts";

/** The same verdict of a trace that has one more record at `seq`. */
function shifted(verdict: Verdict, seq: number): unknown {
  const next = (value: number) => (value >= seq ? value + 1 : value);
  return JSON.parse(JSON.stringify(verdict), (key, value: unknown) =>
    key === "evidence" && Array.isArray(value) ? value.map(next) : value,
  );
}

describe("an exception that nobody caught", () => {
  it("changes no verdict, whatever the trial and wherever it stands", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.entries(CASES)),
        fc.nat(),
        fc.constantFrom("A1", "A2", "A9"),
        ([, build], place, activation) => {
          const parsed = build().toParsed();
          // After the first record, which is the spec, and before the last, after which none may follow.
          const seq = 2 + (place % (parsed.records.length - 1));
          const exception: JournalRecord<"worker.exception"> = {
            seq,
            at: parsed.records[seq - 2]!.at,
            source: "subject",
            prev: parsed.records[0]!.prev,
            type: "worker.exception",
            activation,
            generation: null,
            ordinal: 1,
            where: "promise",
            error: "TypeError: it is not there",
            stack: ["at Subject.work (index.js:1:1)"],
            because: null,
          };
          const records = [
            ...parsed.records.slice(0, seq - 1),
            exception,
            ...parsed.records.slice(seq - 1).map((record) => ({
              ...record,
              seq: record.seq + 1,
              ...("because" in record && record.because !== null && record.because >= seq
                ? { because: record.because + 1 }
                : {}),
            })),
          ] as JournalRecord[];
          const { header } = parsed;
          const counted = header === null ? null : { ...header, records: header.records + 1 };
          const before = judge(parsed);
          const after = judge({ ...parsed, records, header: counted });
          expect(JSON.parse(JSON.stringify(after))).toEqual(shifted(before, seq));
        },
      ),
      { numRuns: 300 },
    );
  });
});
