/**
 * Two clients that come back at once, and the canaries whose work is done in a container, end to end: real objects, daemons and
 * agents, really killed.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { judge, matchExpectation } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

const TWO_CALLERS = "container/after-answer/kill/append/reissue/target=executor/callers=2";
const SECOND_SESSION = "canary-second-session/after-answer/kill/append/reissue/target=executor";
const HOARDER = "canary-hoarder/after-sync/kill/append/reissue/target=executor";

describe("two clients that come back at once", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("rebinding", [TWO_CALLERS, SECOND_SESSION]);
  }, 2 * RUN_TIMEOUT_MS);

  it("share one start of the next executor, and are both answered", () => {
    const { records } = trace(TWO_CALLERS);
    const verdict = judge(trace(TWO_CALLERS));
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(verdict).toMatchObject({ singleFlight: { value: "one-start", answered: 2 } });
    const lost = ofType(records, "executor.ended")[0]?.seq ?? 0;
    expect(ofType(records, "executor.started").filter(({ seq }) => seq > lost)).toHaveLength(1);
    const [probe] = ofType(records, "probe.submitted");
    const [rival] = ofType(records, "rival.submitted");
    expect([probe?.accepted, rival?.accepted]).toEqual([true, true]);
    expect(rival?.operationId).not.toBe(probe?.operationId);
  });

  it("convict a subject that begins a second session for the same job", () => {
    expect(judge(trace(SECOND_SESSION))).toMatchObject({
      continuity: { businessRecord: "lost" },
      operations: [{ effects: 2, flags: ["duplicate"] }],
      repeats: [{ cause: "caller-resubmit" }],
    });
  });
});

describe("an executor that is given what nobody declared", () => {
  it("is convicted of hidden state", { timeout: 2 * RUN_TIMEOUT_MS }, async () => {
    const trace = await runTrials("continuity", [HOARDER]);
    const verdict = judge(trace(HOARDER));
    expect(verdict).toMatchObject({
      validity: { value: "valid", reasons: [] },
      declared: { value: "hidden-used", code: "undeclared-found" },
    });
    const expected = trace(HOARDER).header?.spec.expect ?? {};
    expect(matchExpectation(verdict, expected).differences).toEqual([]);
  });
});
