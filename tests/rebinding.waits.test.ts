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
const EXEC_SERVER = "exec-server/after-commit/kill/append/reissue/target=executor/callers=2";
const BARE_IDS = "canary-bare-ids/after-answer/kill/append/reissue/target=executor/callers=2";
const HOARDER = "canary-hoarder/after-sync/kill/append/reissue/target=executor";

describe("two clients that come back at once", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("rebinding", [TWO_CALLERS, SECOND_SESSION, EXEC_SERVER, BARE_IDS]);
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

  it("of a client that rebinds share one start too, and its old ids are refused", () => {
    const { records } = trace(EXEC_SERVER);
    const verdict = judge(trace(EXEC_SERVER));
    expect(verdict).toMatchObject({
      validity: { value: "valid", reasons: [] },
      singleFlight: { value: "one-start", answered: 2 },
      references: { value: "rejected", code: "refused-throughout" },
      told: { value: "outcome-unknown" },
    });
    const ids = ofType(records, "work.begun").map(({ moment, reference }) => `${moment} ${reference}`);
    expect(ids.toSorted()).toEqual(["after g2:2", "after g2:3", "before g1:2"]);
  });

  it("convict a client whose ids carry no generation", () => {
    const verdict = judge(trace(BARE_IDS));
    expect(verdict).toMatchObject({
      validity: { value: "valid", reasons: [] },
      references: { value: "aliased", code: "other-work-read" },
    });
    expect(verdict.references.evidence).toHaveLength(3);
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
