import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CASES } from "./cases/traces.ts";
import { judge } from "./judge.ts";
import { buildSpec, logOf, TraceBuilder } from "./testing/trace-builder.ts";

type Step = "commit" | "commit-unsent" | "reject" | "leave-open" | "repeat-receipt";
const LOG = logOf(["session.execution.started"], ["session.execution.succeeded"]);

/** What a correct ledger records for any course of attempts, at a destination that deduplicates. */
function ledgerTrace(steps: readonly Step[]): TraceBuilder {
  const trace = new TraceBuilder(
    buildSpec({ factors: { point: "none", reset: "none", resets: 0, destination: "unique" } }),
  ).begin();
  let effects = 0;
  steps.forEach((step, index) => {
    const attempt = index + 1;
    trace.attempt(attempt, "A1", `c${attempt}`, { key: `K${attempt}` });
    if (step === "commit" || step === "commit-unsent") {
      effects += 1;
      trace.commit(attempt, `e${effects}`, { key: `K${attempt}` });
      if (step === "commit") trace.send(attempt, `e${effects}`);
      else trace.add("receipt.undeliverable", { attempt, detail: "the connection was closed" });
    } else if (step === "repeat-receipt" && effects > 0) {
      trace.deduplicate(attempt, `e${effects}`).send(attempt, `e${effects}`);
    } else if (step === "reject") trace.reject(attempt);
  });
  return trace.settled("committed").collect(LOG).jobs().end();
}

const course = fc.array(
  fc.constantFrom<Step>("commit", "commit-unsent", "reject", "leave-open", "repeat-receipt"),
  { maxLength: 12 },
);

describe("the law", () => {
  it("holds for every course of attempts that a ledger records", () => {
    fc.assert(
      fc.property(course, (steps) => {
        const { law, validity } = judge(ledgerTrace(steps).toParsed());
        expect(law.holds).toBe(true);
        expect(law.acknowledged).toBeLessThanOrEqual(law.committed);
        expect(law.committed).toBeLessThanOrEqual(law.received);
        expect(validity).toEqual({ value: "valid", reasons: [] });
      }),
    );
  });

  it("counts what the ledger committed, whatever the session log shows", () => {
    fc.assert(
      fc.property(course, (steps) => {
        const committed = steps.filter((step) => step === "commit" || step === "commit-unsent").length;
        const { operations } = judge(ledgerTrace(steps).toParsed());
        expect(operations[0]?.effects).toBe(committed);
        expect(operations[0]?.attempts).toBe(steps.length);
        expect(operations[0]?.flags.includes("duplicate")).toBe(committed > 1);
      }),
    );
  });

  it("acknowledges nothing new with a repeat that gets the original receipt", () => {
    expect(judge(ledgerTrace(["commit", "repeat-receipt", "repeat-receipt"]).toParsed()).law).toEqual({
      acknowledged: 1,
      committed: 1,
      received: 3,
      holds: true,
    });
  });

  it("is breached by a receipt for an effect that was never committed, and the kit is to blame", () => {
    const trace = ledgerTrace(["commit"]);
    const parsed = trace.toParsed();
    const records = parsed.records.map((record) =>
      record.type === "receipt.sent" ? { ...record, effect: "e7" } : record,
    );
    const verdict = judge({ ...parsed, records });
    expect(verdict.law.holds).toBe(false);
    expect(verdict.validity.reasons.map(({ code }) => code)).toContain("law-breached");
    expect(verdict.attribution.value).toBe("kit");
  });

  it("is breached by more effects than attempts", () => {
    const trace = ledgerTrace([]);
    trace.records.splice(-1, 0, { ...commitWithoutAttempt(), seq: trace.records.length });
    const records = trace.records.map((record, index) => ({ ...record, seq: index + 1 }));
    const parsed = trace.toParsed();
    const verdict = judge({ ...parsed, records });
    expect(verdict.law).toEqual({ acknowledged: 0, committed: 1, received: 0, holds: false });
    expect(verdict.operations[0]?.flags).toEqual(["unknown"]);
  });

  it("holds in every recovery case", () => {
    for (const build of Object.values(CASES)) expect(judge(build().toParsed()).law.holds).toBe(true);
  });
});

function commitWithoutAttempt() {
  const [record] = new TraceBuilder().commit(1, "e1").records.slice(-1);
  if (record === undefined) throw new Error("the builder gave no record");
  return record;
}
