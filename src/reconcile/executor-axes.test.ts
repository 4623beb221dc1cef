/**
 * What the journal says of an executor that was lost, by axis: whether the next one worked beside it, which one answered, what
 * was kept for new work and whether it had been declared.
 */
import { describe, expect, it } from "vitest";
import type { ExecutorReset } from "../trace/targets.ts";
import { judge } from "./judge.ts";
import { buildSpec } from "./testing/spec-builder.ts";
import { TraceBuilder } from "./testing/trace-builder.ts";

type Markers = {
  readonly workspace: string | null;
  readonly state: string | null;
  readonly undeclared: string | null;
};
type Story = {
  readonly reset?: ExecutorReset;
  /** What becomes of the old executor, of a frozen one after the next was started. */
  readonly old?: "ended" | "frozen" | "goes-on" | "acts";
  readonly from?: "image" | "snapshot";
  readonly isReplaced?: boolean;
  /** What the probe's request shows; null for a probe that fails. */
  readonly messages?: number | null;
  readonly after?: Markers;
  readonly claimed?: boolean;
  /** Whether the executor is lost before its receipt came. */
  readonly isCut?: boolean;
};

const OWN: Markers = { workspace: "X1", state: "X1", undeclared: "X1" };
const ended = (cause: "reset" | "destroyed") =>
  ({ executor: "X1", pid: 200, exitCode: null, signal: "SIGKILL", cause, because: null }) as const;

/** An executor is lost after the answer; a probe is asked of the session afterwards. */
function told(
  {
    reset = "kill",
    old = "ended",
    from = "image",
    isReplaced = true,
    messages = 6,
    after = { workspace: "X2", state: "X1", undeclared: "X2" },
    claimed = true,
    isCut = false,
  }: Story = {},
  afterwards: (trace: TraceBuilder) => void = () => undefined,
) {
  const identity = (moment: "before" | "follow-up", executor: string, markers: Markers) =>
    ({
      moment,
      session: "ses_root",
      activation: "A1",
      executor,
      running: true,
      markers: { object: "M-77", memory: "M-77", ...markers },
      error: null,
      because: null,
    }) as const;
  const trace = new TraceBuilder(
    buildSpec({
      factors: { subject: "container", host: "none", point: "after-answer", reset, target: "executor" },
      container: "process",
    }),
  )
    .begin()
    .add("executor.started", { executor: "X1", pid: 200, from: "image", because: null })
    .turn(1, "A1", ["call_1"], { executor: "X1", messages: 2 })
    .attempt(1, "A1", "call_1", { executor: "X1" })
    .commit(1, "e1");
  if (!isCut)
    trace
      .send(1, "e1")
      .turn(2, "A1", [], { executor: "X1", messages: 4 })
      .settled(claimed ? "committed" : "none", { activation: "A1" });
  trace
    .add("identity.read", identity("before", "X1", OWN))
    .phase("reset")
    .add("reset.requested", { reset, ordinal: 1, activation: null });
  if (old === "ended") trace.add("executor.ended", ended(reset === "kill" ? "reset" : "destroyed"));
  else trace.add("executor.paused", { executor: "X1", pid: 200, because: null });
  trace
    .add("reset.performed", { reset, ordinal: 1, mechanism: "as asked", error: null, process: null })
    .quiet()
    .quietEnds()
    .reconnect("A1")
    .submitted("again", false)
    .phase("probe");
  if (old === "frozen") trace.add("executor.ended", ended("destroyed"));
  if (isReplaced) trace.add("executor.started", { executor: "X2", pid: 300, from, because: null });
  if (old === "goes-on" || old === "acts")
    trace.add("executor.resumed", { executor: "X1", pid: 200, because: null });
  if (messages !== null) trace.turn(3, "A1", [], { executor: isReplaced ? "X2" : "X1", messages }).probe();
  else {
    const probe = { operationId: trace.spec.probeId, session: "ses_root" };
    trace
      .add("probe.submitted", { ...probe, accepted: true, error: null })
      .add("probe.settled", { ...probe, status: "unanswered", reason: "no thread", text: null });
  }
  if (old === "acts") trace.turn(messages === null ? 3 : 4, "A1", [], { executor: "X1", messages: 6 });
  trace.add("identity.read", identity("follow-up", isReplaced ? "X2" : "X1", after));
  afterwards(trace);
  return judge(trace.phase("settle").wait(10).phase("collect").end().toParsed());
}

describe("whether a lost executor and the next one could act at once", () => {
  it.each([
    ["ended", {}, "one-at-a-time"],
    ["frozen", { reset: "pause" }, "one-at-a-time"],
    ["goes-on", { reset: "pause" }, "two-alive"],
    ["acts", { reset: "pause" }, "two-acted"],
    ["ended", { isReplaced: false }, "not-replaced"],
  ] as const)("is told of one that is %s, %o: %s", (old, story, value) => {
    expect(told({ ...story, old }).replacement).toMatchObject({ value });
  });

  it("is not decided for one that stood still and whose end is not recorded", () => {
    const verdict = told({ reset: "pause", old: "ended" });
    expect(verdict.replacement).toMatchObject({ value: "unknown", code: "reset-not-delivered" });
    expect(verdict.validity.reasons.map(({ code }) => code)).toContain("executor-not-lost");
  });

  it("says how long the replacement took", () => {
    expect(told().replacement.afterMs).toBeGreaterThan(0);
    expect(told({ isReplaced: false }).replacement.afterMs).toBeNull();
  });
});

describe("which executor answered new work", () => {
  it.each([
    [{}, "replacement-with-state"],
    [{ messages: 2 }, "replacement-without-state"],
    [{ isReplaced: false }, "same"],
    [{ messages: null }, "none"],
  ] as const)("after %o: %s", (story, value) => {
    expect(told(story).responseExecutor).toMatchObject({ value });
  });
});

describe("what was kept for new work", () => {
  it("has three answers, which do not follow from each other", () => {
    expect(told().continuity).toMatchObject({
      conversation: "kept",
      businessRecord: "agrees",
      files: "lost",
    });
    expect(told({ from: "snapshot", messages: 2, claimed: false, after: OWN }).continuity).toMatchObject({
      conversation: "lost",
      businessRecord: "incomplete",
      files: "kept",
    });
    expect(told({ messages: null }).continuity.conversation).toBe("unreachable");
  });
});

describe("whether declared state was all that was needed", () => {
  it.each([
    [{}, "only-declared", "declared-enough"],
    [{ from: "snapshot", after: OWN }, "only-declared", "whole-snapshot"],
    [{ after: { ...OWN, workspace: "X2" } }, "hidden-used", "undeclared-found"],
    [
      { messages: null, after: { workspace: null, state: null, undeclared: null } },
      "missing-visible",
      "new-work-failed",
    ],
    [{ messages: null }, "unknown", "failed-with-state"],
    [{ isReplaced: false }, "not-applicable", "no-replacement"],
  ] as const)("after %o: %s", (story, value, code) => {
    expect(told(story).declared).toMatchObject({ value, code });
  });
});

describe("a session that begins anew after the probe", () => {
  /** `messages`: of its first request; null for a prompt that fails. */
  const begun = (beginning: "reset" | "new", messages: number | null) => {
    const base = { session: "another", operationId: `anew-${beginning}`, activation: "A1", because: null };
    return told({ messages: beginning === "reset" ? null : 6 }, (trace) => {
      trace.add("session.begun", { ...base, beginning, accepted: true, error: null });
      const call = beginning === "reset" ? 3 : 4;
      if (messages !== null) trace.turn(call, "A1", [], { executor: "X2", messages });
      trace.add("session.settled", {
        ...base,
        status: messages === null ? "unanswered" : "done",
        reason: messages === null ? "no thread" : null,
        text: messages === null ? null : "ok",
      });
    }).freshStart;
  };

  it.each([
    [2, "without-history"],
    [6, "with-history"],
    [null, "failed"],
  ] as const)("repairs one that took no work, with %s messages shown: %s", (messages, remedy) => {
    expect(begun("reset", messages)).toMatchObject({ remedy, cleanStart: "untested" });
  });

  it.each([
    [2, "clean"],
    [6, "leaked"],
    [null, "failed"],
  ] as const)("is another one, with %s messages shown: %s", (messages, cleanStart) => {
    expect(begun("new", messages)).toMatchObject({ remedy: "untested", cleanStart });
  });

  it("is not what the model was told after the loss", () => {
    const verdict = told({ messages: null, isCut: true }, (trace) => {
      const base = { session: "ses_root", operationId: "anew-reset", activation: "A1", because: null };
      trace.add("session.begun", { ...base, beginning: "reset", accepted: true, error: null });
      trace.turn(3, "A1", [], { executor: "X2", messages: 2 });
    });
    expect(verdict.told).toMatchObject({ value: "not-applicable", code: "model-not-asked" });
  });

  it("is no answer to the probe", () => {
    expect(
      told({ messages: null }, (trace) => trace.turn(3, "A1", [], { executor: "X2", messages: 6 }))
        .continuity,
    ).toMatchObject({ conversation: "unreachable" });
  });
});

describe("two clients that ask at once", () => {
  const rival = { operationId: "probe-1-rival", session: "ses_root", activation: "A1", because: null };
  const asked = (status: "done" | "unanswered" | null, starts = 0) =>
    told({}, (trace) => {
      trace.add("rival.submitted", { ...rival, accepted: true, error: null });
      for (let start = 1; start <= starts; start += 1)
        trace.add("executor.started", {
          executor: `Y${start}`,
          pid: 400 + start,
          from: "image",
          because: null,
        });
      if (status !== null) trace.add("rival.settled", { ...rival, status, reason: null, text: null });
    }).singleFlight;

  it("share the one start that followed the loss", () => {
    expect(asked("done")).toMatchObject({ value: "one-start", answered: 2 });
    expect(asked("unanswered")).toMatchObject({ value: "one-start", answered: 1 });
  });

  it("do not where a second one followed", () => {
    expect(asked("done", 1)).toMatchObject({ value: "several-starts" });
  });

  it("show nothing before both have ended, and nothing where one asks alone", () => {
    expect(asked(null)).toMatchObject({ value: "unknown", code: "not-both-ended" });
    expect(told().singleFlight).toMatchObject({ value: "not-applicable" });
  });
});
