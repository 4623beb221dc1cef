import { describe, expect, it } from "vitest";
import { JournalRecord } from "../../trace/records.ts";
import { judge } from "../judge.ts";
import { Verdict } from "../verdict.ts";
import { FURTHER_CASES } from "./further-traces.ts";
import { essence } from "./pass.ts";
import { CASES, t01, t04, t05, t07, t08, t09 } from "./traces.ts";

type Essence = ReturnType<typeof essence>;

/** A clean recovery with one effect: what the cases below differ from. */
const CLEAN: Essence = {
  trial: "valid",
  reasons: [],
  session: "restored",
  execution: "resumed",
  executor: "replacement-with-state",
  autonomous: "yes",
  stuck: "no",
  ops: { ticket: { attempts: 2, effects: 1, flags: ["ok"] } },
  repeat: ["model-reissue"],
  callMismatch: [],
  openCalls: [],
  attribution: "none: no-deviation",
  findings: [],
};

const UNTOUCHED: Essence = {
  ...CLEAN,
  execution: "not-interrupted",
  executor: "same",
  autonomous: "not-applicable",
  repeat: [],
};

const EXPECTED: Record<string, Essence> = {
  T01: {
    ...CLEAN,
    ops: { ticket: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    callMismatch: ["c1"],
    attribution: "host: call-recorded-failed-though-committed",
  },
  T02: { ...CLEAN, callMismatch: ["c1"] },
  T03: CLEAN,
  T04: {
    ...UNTOUCHED,
    ops: { email: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    repeat: ["runtime-replay"],
    attribution: "host: call-replayed",
    findings: ["repeat-invisible-in-log"],
  },
  "T04, retried by the tool": {
    ...UNTOUCHED,
    ops: { email: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    repeat: ["tool-internal-retry"],
    attribution: "kit: tool-retried",
    findings: ["repeat-invisible-in-log"],
  },
  T05: {
    ...CLEAN,
    session: "intact-not-reactivated",
    execution: "not-resumed",
    executor: "none",
    autonomous: "no",
    stuck: "yes",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["unresolved"] } },
    repeat: [],
    openCalls: ["c1"],
    attribution: "harness: job-without-alarm",
  },
  "T05, silent canary": {
    ...CLEAN,
    trial: "invalid",
    reasons: ["canary-silent"],
    session: "intact-not-reactivated",
    execution: "not-resumed",
    executor: "none",
    autonomous: "no",
    stuck: "yes",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["unresolved"] } },
    repeat: [],
    openCalls: ["c1"],
    attribution: "runtime: canary-silent",
  },
  T06: {
    ...CLEAN,
    ops: { ticket: { attempts: 1, effects: 0, flags: ["lost"] } },
    repeat: [],
    attribution: "model: claim-without-effect",
  },
  "T06, unknown claim": {
    ...CLEAN,
    ops: { ticket: { attempts: 1, effects: 0, flags: ["unresolved"] } },
    repeat: [],
    attribution: "model: no-definite-claim",
  },
  T07: {
    ...CLEAN,
    trial: "invalid",
    reasons: ["reset-not-delivered"],
    session: "unknown",
    execution: "unknown",
    executor: "same",
    autonomous: "unknown",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
    repeat: [],
    attribution: "unknown: reset-not-delivered",
  },
  T08: {
    ...CLEAN,
    session: "lost",
    execution: "not-resumed",
    executor: "replacement-without-state",
    autonomous: "no",
    ops: { ticket: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    repeat: ["caller-resubmit"],
    attribution: "runtime: marker-gone",
    findings: [
      "marker-gone",
      "known-operation-accepted-as-new",
      "log-differs-from-look",
      "log-cursor-aliased",
    ],
  },
  T09: { ...CLEAN, findings: ["recorder-gap-repaired"] },
  "T09, no re-read": {
    ...CLEAN,
    trial: "invalid",
    reasons: ["log-missing"],
    session: "unknown",
    attribution: "unknown: log-missing",
  },

  "a whole trial at an appending destination": {
    ...CLEAN,
    ops: { ticket: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    callMismatch: ["call_1"],
    attribution: "host: call-recorded-failed-though-committed",
  },
  "a whole trial at a unique destination": { ...CLEAN, callMismatch: ["call_1"] },
  "a late commit": {
    ...CLEAN,
    ops: { ticket: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    repeat: ["late-commit"],
    callMismatch: ["call_1"],
    attribution: "host: call-recorded-failed-though-committed",
  },
  "two owners": {
    ...CLEAN,
    trial: "invalid",
    reasons: ["reset-not-delivered"],
    // The old activation acted last.
    executor: "same",
    ops: { ticket: { attempts: 3, effects: 2, flags: ["duplicate"] } },
    repeat: ["model-reissue", "tool-internal-retry", "concurrent-owner"],
    callMismatch: ["call_1"],
    attribution: "unknown: reset-not-delivered",
    findings: ["repeat-invisible-in-log"],
  },
  "a replay without a log": {
    ...CLEAN,
    ops: { ticket: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    repeat: ["runtime-replay"],
    attribution: "harness: call-replayed",
    findings: ["repeat-invisible-in-log"],
  },
  "an end by rule": {
    ...CLEAN,
    execution: "settled-by-policy",
    ops: { ticket: { attempts: 1, effects: 0, flags: ["unresolved"] } },
    repeat: [],
    openCalls: ["call_1"],
    attribution: "host: no-definite-claim",
  },
  "a reset after the answer": {
    ...UNTOUCHED,
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
  },
  "a wake by the client": {
    ...CLEAN,
    autonomous: "no",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
    repeat: [],
    attribution: "harness: client-came-first",
  },
  "a known operation taken for new": {
    ...CLEAN,
    execution: "not-resumed",
    session: "restored-damaged",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
    repeat: [],
    attribution: "harness: operation-forgotten",
    findings: ["known-operation-accepted-as-new"],
  },
  "a subject that never resumes": {
    ...CLEAN,
    execution: "not-resumed",
    executor: "none",
    autonomous: "no",
    stuck: "yes",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["unresolved"] } },
    repeat: [],
    openCalls: ["call_1"],
    attribution: "harness: nothing-scheduled",
    findings: ["wait-expired"],
  },
  "a damaged log": {
    ...CLEAN,
    session: "restored-damaged",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
    repeat: [],
    attribution: "host: events-changed",
    findings: ["log-differs-from-look"],
  },
  "a client that disconnects": {
    ...UNTOUCHED,
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
  },
  "an executor that is replaced": {
    ...CLEAN,
    autonomous: "not-applicable",
    ops: { ticket: { attempts: 2, effects: 2, flags: ["duplicate"] } },
    callMismatch: ["call_1"],
    attribution: "harness: call-forgotten",
  },
  "an executor that goes on without its object": {
    ...CLEAN,
    executor: "same",
    ops: { ticket: { attempts: 1, effects: 1, flags: ["ok"] } },
    repeat: [],
  },
};

const BUILDERS = { ...CASES, ...FURTHER_CASES };

describe("the recovery cases", () => {
  it.each(Object.entries(EXPECTED))("%s has its known verdict", (name, expected) => {
    const build = BUILDERS[name];
    if (build === undefined) throw new Error(`no trace is called ${name}`);
    const trace = build();
    for (const record of trace.records) JournalRecord.parse(record);
    const verdict = judge(trace.toParsed());
    expect(Verdict.parse(verdict)).toEqual(verdict);
    expect(essence(verdict)).toEqual(expected);
  });

  it("covers every trace", () => {
    expect(Object.keys(EXPECTED).sort()).toEqual(Object.keys(BUILDERS).sort());
  });
});

describe("what decides an answer", () => {
  const types = (trace: ReturnType<typeof t01>, evidence: readonly number[]) =>
    evidence.map((seq) => trace.records.find((record) => record.seq === seq)?.type);

  it("names the records behind a duplicate and its cause", () => {
    const trace = t01();
    const verdict = judge(trace.toParsed());
    expect(types(trace, verdict.operations[0]?.evidence ?? [])).toEqual([
      "attempt.received",
      "effect.committed",
      "attempt.received",
      "effect.committed",
      "operation.settled",
      "trial.ended",
    ]);
    expect(types(trace, verdict.repeats[0]?.evidence ?? [])).toEqual([
      "attempt.received",
      "model.requested",
      "model.answered",
      "attempt.received",
    ]);
  });

  it("gives every axis of every case a code and its records", () => {
    for (const build of Object.values(BUILDERS)) {
      const trace = build();
      const verdict = judge(trace.toParsed());
      const { session, execution, executor, autonomous, stuck, attribution } = verdict;
      for (const axis of [session, execution, executor, autonomous, stuck, attribution]) {
        expect(axis.code).not.toBe("");
        expect(axis.evidence.length).toBeGreaterThan(0);
        for (const seq of axis.evidence) expect(trace.records[seq - 1]?.seq).toBe(seq);
      }
    }
  });

  it("measures from the reset on the ledger's clock", () => {
    const { timings, autonomous } = judge(t01().toParsed());
    expect(autonomous.wokeAfterMs).toBe(timings.resetToActivationMs);
    expect(timings).toEqual({
      resetToActivationMs: 30,
      resetToProgressMs: 40,
      resetToSettledMs: 100,
      settledNote: null,
    });
  });

  it("leaves the duration of what never happened open", () => {
    expect(judge(t05().toParsed()).timings).toEqual({
      resetToActivationMs: null,
      resetToProgressMs: null,
      resetToSettledMs: null,
      settledNote: null,
    });
  });

  it("counts the operation's model calls without the probe's", () => {
    const build = FURTHER_CASES["a whole trial at an appending destination"];
    expect(build && judge(build().toParsed()).usage).toEqual({
      modelCalls: 3,
      titleCalls: 0,
      inputTokens: 30,
      outputTokens: 15,
    });
  });

  it("keeps the law in every case", () => {
    for (const build of Object.values(BUILDERS)) expect(judge(build().toParsed()).law.holds).toBe(true);
  });
});

describe("what a returning client finds", () => {
  it("is the old object with a remade result when the call was made again", () => {
    expect(judge(t01().toParsed()).rebinding).toMatchObject({
      identity: "same",
      generationBefore: 1,
      generationAfter: 2,
      oldWork: "interrupted",
      result: "reconstructed",
      newWork: "untested",
    });
  });

  it("is another object under the same name when the storage is gone", () => {
    expect(judge(t08().toParsed()).rebinding).toMatchObject({
      identity: "different",
      generationBefore: 1,
      generationAfter: 1,
      oldWork: "interrupted",
      result: "reconstructed",
    });
  });

  it("is unknown when nobody came back", () => {
    expect(judge(t05().toParsed()).rebinding).toMatchObject({ identity: "unknown", generationAfter: null });
  });

  it("is the old object at its old work when nothing was reset", () => {
    expect(judge(t04().toParsed()).rebinding).toMatchObject({ identity: "same", oldWork: "continued" });
  });
});

describe("the session log before and after", () => {
  it("gives both cursors", () => {
    expect(judge(t01().toParsed()).transcript).toEqual({
      cursorBefore: 1,
      cursorAfter: 7,
      missing: [],
      damaged: [],
      readOn: null,
    });
  });

  it("names the events that are others after the storage was lost", () => {
    expect(judge(t08().toParsed()).transcript).toMatchObject({
      cursorBefore: 2,
      missing: [],
      damaged: [1, 2],
    });
  });

  it("claims nothing when the log was not read again", () => {
    expect(judge(t09(false).toParsed()).transcript).toMatchObject({ cursorAfter: null, missing: null });
  });

  it("still counts effects in a trial that is invalid", () => {
    expect(judge(t07().toParsed()).operations[0]).toMatchObject({ attempts: 1, effects: 1, flags: ["ok"] });
  });
});
