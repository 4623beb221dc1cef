import { describe, expect, it } from "vitest";
import { CLAIMS, type Claim } from "../../experiments/claims.ts";
import { declaredConditions, experimentNames } from "../../experiments/registry.ts";
import { executorReplaced } from "../../src/reconcile/cases/further-traces.ts";
import type { TraceBuilder } from "../../src/reconcile/testing/trace-builder.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import { judgeParsed } from "../stored/judge-trace.ts";
import { documentedRows } from "./documented.ts";

const NAME = "container-retry/after-sync/kill/append/reissue/target=executor";
const DECLARED = declaredConditions("harnesses");

function rowsOf(change: (trace: TraceBuilder) => TraceBuilder = (trace) => trace) {
  const parsed = change(executorReplaced()).toParsed();
  const judged = judgeParsed("t.jsonl", parsed);
  const spec = judged.spec === null ? null : { ...judged.spec, condition: NAME };
  return documentedRows({ trials: [{ ...judged, spec }] } as unknown as JudgedRun, DECLARED);
}

describe("a promise", () => {
  it("holds where every valid trial keeps it", () => {
    const rows = rowsOf();
    expect(rows).toContainEqual(
      expect.objectContaining({ claim: "container-lost-runs-again", value: "holds", tested: 1 }),
    );
    // That of another subject, whose condition names it too, is not spoken of.
    expect(rows.map(({ claim }) => claim)).not.toContain("container-lost-is-told");
  });

  it("is contradicted by a trial that answers otherwise, with its words", () => {
    const [row] = rowsOf((trace) => {
      for (const [index, record] of trace.records.entries())
        if (record.type === "probe.settled") trace.records[index] = { ...record, status: "unanswered" };
      return trace;
    }).filter(({ claim }) => claim === "container-resumes");
    expect(row).toMatchObject({ value: "contradicted", tested: 1 });
    expect(row?.contradicting[0]?.words).toContain("newWork failed, not admitted");
  });

  it("is not tested by a trial that is invalid", () => {
    const rows = rowsOf((trace) => {
      const without = trace.records.filter(({ type }) => type !== "executor.ended");
      trace.records.splice(
        0,
        trace.records.length,
        ...without.map((one, index) => ({ ...one, seq: index + 1 })),
      );
      return trace;
    });
    expect(rows.map(({ value }) => value)).toEqual(rows.map(() => "not-tested"));
  });

  it.each(Object.entries(CLAIMS))(
    "is put to the test by some experiment: %s",
    (name, { subjects }: Claim) => {
      const named = experimentNames()
        .flatMap(declaredConditions)
        .filter(({ claims }) => claims.some((one) => one === name))
        .map(({ factors }) => factors.subject);
      expect(new Set(named)).toEqual(new Set(subjects));
    },
  );
});
