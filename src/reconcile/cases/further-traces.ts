/**
 * Traces beyond the nine cases: one in the full order in which the controller records a trial, and small ones for
 * answers that no case gives (late commits, two owners, limits, damage, missing observations).
 */
import { buildSpec, logOf, TraceBuilder } from "../testing/trace-builder.ts";

const STARTED = ["session.execution.started"] as const;
const SUCCEEDED = ["session.execution.succeeded"] as const;
const SYNTHETIC = ["session.synthetic"] as const;
const CUT = [STARTED, ["session.tool.called", "call_1"]] as const;
const FAILED_1 = ["session.tool.failed", "call_1"] as const;
const REISSUED = [
  ...CUT,
  SYNTHETIC,
  STARTED,
  FAILED_1,
  ["session.tool.called", "call_2"],
  ["session.tool.success", "call_2"],
  SUCCEEDED,
] as const;
const ERROR_1 = {
  results: [{ call: "call_1", tool: "ledger_act", outcome: "error" as const }],
  restartNotice: true,
};

/** A whole trial, abort in the acknowledgement gap, in the order in which the kit records it. */
export function wholeTrial(destination: "append" | "unique" = "append"): TraceBuilder {
  const key = destination === "unique" ? "K1" : null;
  const trace = new TraceBuilder(
    buildSpec({
      factors: { point: "after-commit", reset: "abort", destination },
      intended: [{ action: "ticket", key, effects: 1 }],
    }),
  )
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1", { key })
    .commit(1, "e1", { key })
    .withhold(1, "e1")
    .reach(1)
    .phase("look")
    .log(logOf(...CUT), { when: "look" })
    .jobs({ when: "look", claims: [{ session: "ses_root", claimedAt: 5, resumeAttempts: 0 }] })
    .reset("A1")
    .add("receipt.undeliverable", { attempt: 1, detail: "the connection was closed" })
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["call_2"], ERROR_1)
    .attempt(2, "A2", "call_2", { key, generation: 2 });
  if (destination === "append") trace.commit(2, "e2").send(2, "e2");
  else trace.deduplicate(2, "e1").send(2, "e1");
  return trace
    .turn(3, "A2", [], { results: [{ call: "call_2", tool: "ledger_act", outcome: "ok" }] })
    .quietEnds()
    .reconnect("A2")
    .settled("committed", {
      claim: { claim: "committed", receipt: destination === "append" ? "r-e2" : "r-e1" },
    })
    .submitted("again", false)
    .add("probe.submitted", { operationId: "probe-1", session: "ses_root", accepted: true, error: null })
    .turn(4, "A2", [])
    .add("probe.settled", {
      operationId: "probe-1",
      session: "ses_root",
      status: "done",
      reason: null,
      text: "ok",
    })
    .collect(logOf(...REISSUED, STARTED, SUCCEEDED))
    .jobs()
    .add("hold.released", { hold: { point: "after-commit", occurrence: 1 }, why: "trial-ended" })
    .end();
}

/** The held first attempt commits after the second one did its work. */
export function lateCommit(): TraceBuilder {
  return new TraceBuilder(
    buildSpec({ factors: { point: "before-commit", reset: "abort", heldAttempt: "committed-late" } }),
  )
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .reach(1)
    .reset("A1")
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["call_2"], ERROR_1)
    .attempt(2, "A2", "call_2", { generation: 2 })
    .commit(2, "e1")
    .send(2, "e1")
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .add("hold.released", { hold: { point: "before-commit", occurrence: 1 }, why: "controller" })
    .commit(1, "e2")
    .add("receipt.undeliverable", { attempt: 1, detail: "the connection was closed" })
    .collect(logOf(...REISSUED))
    .jobs()
    .end();
}

/** The first activation acts again after the second has taken over. */
function twoOwners(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "before-commit", reset: "abort" } }))
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .reach(1)
    .reset("A1")
    .reject(1)
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["call_2"], ERROR_1)
    .attempt(2, "A2", "call_2", { generation: 2 })
    .commit(2, "e1")
    .send(2, "e1")
    .attempt(3, "A1", "call_1")
    .commit(3, "e2")
    .send(3, "e2")
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .collect(logOf(...REISSUED))
    .jobs()
    .end();
}

/** A canary subject without a host or a log: it makes its call again on recovery without asking the model. */
export function replayWithoutLog(): TraceBuilder {
  return new TraceBuilder(
    buildSpec({
      canary: true,
      factors: { subject: "canary-replay", host: "none", point: "after-commit", reset: "kill" },
    }),
  )
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .reset("A1", { died: true })
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm", isolate: "i2" })
    .attempt(2, "A2", "call_1", { generation: 2 })
    .commit(2, "e2")
    .send(2, "e2")
    .quietEnds("i2")
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .phase("settle")
    .wait(10)
    .phase("collect")
    .log([], { offered: false })
    .add("snapshot.schema", { how: "object", when: "collect", tables: [], indexes: [], error: null })
    .add("snapshot.transcript", {
      how: "object",
      when: "collect",
      session: "ses_root",
      messages: [],
      pending: [],
      error: null,
    })
    .jobs()
    .end();
}

/** Two aborts, the second right after the first recovery began; then the host ends the turn by rule. */
function endedByRule(): TraceBuilder {
  return new TraceBuilder(
    buildSpec({ factors: { point: "during-recovery", reset: "abort", resets: 2, policy: "give-up" } }),
  )
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .reset("A1", { ordinal: 1 })
    .reject(1)
    .activated("A2", { generation: 2, cause: "alarm" })
    .reset("A2", { ordinal: 2 })
    .quiet()
    .activated("A3", { generation: 3, cause: "alarm" })
    .quietEnds()
    .reconnect("A3")
    .settled("none", { status: "unanswered", reason: "the execution kept being interrupted", text: null })
    .submitted("again", false)
    .collect(logOf(...CUT, ["session.execution.failed"]))
    .jobs()
    .end();
}

/** The answer was given before the reset; nothing is owed after it. `woken` only when the client comes. */
export function afterAnswer(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "after-answer", reset: "kill" } }))
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .commit(1, "e1")
    .send(1, "e1")
    .turn(2, "A1", [], { results: [{ call: "call_1", tool: "ledger_act", outcome: "ok" }] })
    .phase("arrive")
    .settled("committed")
    .reset("A1", { died: true })
    .quiet()
    .quietEnds("i2")
    .phase("reconnect")
    .activated("A2", { generation: 2, cause: "fetch", isolate: "i2" })
    .add("client.reconnected", { ok: true, activation: "A2", error: null })
    .submitted("again", false)
    .probe()
    .collect(
      logOf(
        STARTED,
        ["session.tool.called", "call_1"],
        ["session.tool.success", "call_1"],
        SUCCEEDED,
        STARTED,
        SUCCEEDED,
      ),
    )
    .jobs()
    .end();
}

/** It goes on, but only when the client has come back. */
function wokenByClient(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "model-request", reset: "kill" } }))
    .begin()
    .request(1, "A1")
    .reach(null, 1)
    .reset("A1", { died: true })
    .quiet()
    .quietEnds("i2")
    .phase("reconnect")
    .activated("A2", { generation: 2, cause: "fetch", isolate: "i2" })
    .add("client.reconnected", { ok: true, activation: "A2", error: null })
    .turn(2, "A2", ["call_1"], { restartNotice: true })
    .attempt(1, "A2", "call_1", { generation: 2 })
    .commit(1, "e1")
    .send(1, "e1")
    .settled("committed")
    .submitted("again", false)
    .collect(
      logOf(
        STARTED,
        SYNTHETIC,
        STARTED,
        ["session.tool.called", "call_1"],
        ["session.tool.success", "call_1"],
        SUCCEEDED,
      ),
    )
    .jobs()
    .end();
}

/** It comes back with its storage, but takes the known operation for a new one. */
function takenForNew(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "model-request", reset: "abort" } }))
    .begin()
    .request(1, "A1")
    .reach(null, 1)
    .reset("A1")
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .quietEnds()
    .reconnect("A2")
    .submitted("again", true)
    .turn(2, "A2", ["call_1"])
    .attempt(1, "A2", "call_1", { generation: 2 })
    .commit(1, "e1")
    .send(1, "e1")
    .settled("committed")
    .collect(
      logOf(
        STARTED,
        STARTED,
        ["session.tool.called", "call_1"],
        ["session.tool.success", "call_1"],
        SUCCEEDED,
      ),
    )
    .jobs()
    .end();
}

/** Never resumes although it is spoken to: nothing scheduled, the wait runs out. */
export function neverResumes(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "after-commit", reset: "abort" } }))
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .reset("A1")
    .quiet()
    .quietEnds()
    .phase("reconnect")
    .activated("A2", { generation: 2, cause: "fetch" })
    .add("client.reconnected", { ok: true, activation: "A2", error: null })
    .add("wait.expired", { waitedFor: "operation", boundMs: 1_000 })
    .submitted("again", false)
    .collect(logOf(...CUT))
    .jobs({ claims: [{ session: "ses_root", claimedAt: 5, resumeAttempts: 0 }] })
    .end();
}

/** T02-like, but one event of before the reset reads otherwise afterwards. */
export function damagedLog(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "model-request", reset: "abort" } }))
    .begin()
    .request(1, "A1")
    .reach(null, 1)
    .phase("look")
    .log(logOf(["session.created"], STARTED, ["session.inbox.delivered"]), { when: "look" })
    .reset("A1")
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["call_1"], { restartNotice: true })
    .attempt(1, "A2", "call_1", { generation: 2 })
    .commit(1, "e1")
    .send(1, "e1")
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .collect(
      logOf(
        ["session.created"],
        STARTED,
        SYNTHETIC,
        STARTED,
        ["session.tool.called", "call_1"],
        ["session.tool.success", "call_1"],
        SUCCEEDED,
      ),
    )
    .jobs()
    .end();
}

/** The control that takes no host: only the client's connection goes. */
function disconnected(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "before-commit", reset: "client-disconnect" } }))
    .begin()
    .turn(1, "A1", ["call_1"])
    .attempt(1, "A1", "call_1")
    .reach(1)
    .reset("A1")
    .commit(1, "e1")
    .send(1, "e1")
    .quiet()
    .quietEnds()
    .reconnect("A1")
    .settled("committed")
    .submitted("again", false)
    .collect(logOf(STARTED, ["session.tool.called", "call_1"], ["session.tool.success", "call_1"], SUCCEEDED))
    .jobs()
    .end();
}

const CONTAINER_SESSION = "ses_root";
const NO_LOG = { offered: false, synced: null } as const;

/** The end of a trial of a subject that works in a container: a transcript, and no log. */
function collected(
  trace: TraceBuilder,
  call: string,
  probe: { readonly call: number; readonly activation: string; readonly executor: string },
): TraceBuilder {
  return trace
    .phase("probe")
    .turn(probe.call, probe.activation, [], { executor: probe.executor, messages: 6 })
    .probe()
    .phase("settle")
    .wait(trace.spec.factors.settleMs)
    .phase("collect")
    .jobs()
    .log([], NO_LOG)
    .add("snapshot.transcript", {
      how: "object",
      when: "collect",
      session: CONTAINER_SESSION,
      messages: [
        { id: "m1", type: "user" },
        { id: "m2", type: "assistant", tools: [{ call, tool: "ledger_act", status: "done" }] },
      ],
      pending: [],
      error: null,
    })
    .add("snapshot.schema", { how: "object", when: "collect", tables: [], indexes: [], error: null })
    .end();
}

/** The executor is lost in the acknowledgement gap and the object is not; the harness runs the operation again in another one. */
export function executorReplaced(): TraceBuilder {
  const spec = buildSpec({
    factors: {
      subject: "container-retry",
      host: "none",
      point: "after-sync",
      reset: "kill",
      target: "executor",
    },
    container: "process",
  });
  const trace = new TraceBuilder(spec)
    .begin()
    .add("executor.started", { executor: "X1", pid: 200, from: "image", because: null })
    .turn(1, "A1", ["call_1"], { executor: "X1" })
    .attempt(1, "A1", "call_1", { executor: "X1" })
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .phase("look")
    .log([], { when: "look", ...NO_LOG })
    .jobs({
      when: "look",
      claims: [{ session: CONTAINER_SESSION, claimedAt: null, resumeAttempts: null, held: true }],
    })
    .phase("reset")
    .add("reset.requested", { reset: "kill", ordinal: 1, activation: null })
    .add("executor.ended", {
      executor: "X1",
      pid: 200,
      exitCode: null,
      signal: "SIGKILL",
      cause: "reset",
      because: null,
    })
    .add("reset.performed", { reset: "kill", ordinal: 1, mechanism: "SIGKILL", error: null, process: null })
    .add("receipt.undeliverable", { attempt: 1, detail: "dropped" })
    .quiet()
    .add("executor.started", { executor: "X2", pid: 300, from: "image", because: null })
    .turn(2, "A1", ["call_2"], {
      executor: "X2",
      results: [
        {
          call: "call_1",
          tool: "ledger_act",
          outcome: "error",
          text: "It may or may not have taken effect.",
        },
      ],
    })
    .attempt(2, "A1", "call_2", { executor: "X2" })
    .commit(2, "e2")
    .send(2, "e2")
    .turn(3, "A1", [], { executor: "X2" })
    .jobs({ when: "quiet", how: "offline" })
    .quietEnds()
    .reconnect("A1")
    .settled("committed", { activation: "A1", claim: { claim: "committed", receipt: "r-e2" } })
    .submitted("again", false);
  return collected(trace, "call_2", { call: 4, activation: "A1", executor: "X2" });
}

/** The object is lost in the acknowledgement gap; the executor is not, gets its receipt, and ends the turn. */
export function executorGoesOn(): TraceBuilder {
  const executor = "X1";
  const spec = buildSpec({
    factors: { subject: "container", host: "none", point: "after-commit", reset: "abort" },
    container: "process",
  });
  const trace = new TraceBuilder(spec)
    .begin()
    .add("executor.started", { executor, pid: 200, from: "image", because: null })
    .turn(1, "A1", ["call_1"], { executor })
    .attempt(1, "A1", "call_1", { executor })
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .phase("look")
    .log([], { when: "look", ...NO_LOG })
    .jobs({
      when: "look",
      claims: [{ session: CONTAINER_SESSION, claimedAt: null, resumeAttempts: null, held: true }],
    })
    .reset("A1")
    .send(1, "e1")
    .turn(2, "A1", [], {
      executor,
      results: [{ call: "call_1", tool: "ledger_act", outcome: "ok", text: "the receipt" }],
    })
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .quietEnds()
    .reconnect("A2")
    .settled("committed", { activation: "A2", claim: { claim: "committed", receipt: "r-e1" } });
  return collected(trace, "call_1", { call: 3, activation: "A2", executor });
}

export const FURTHER_CASES: Readonly<Record<string, () => TraceBuilder>> = {
  "a whole trial at an appending destination": () => wholeTrial("append"),
  "a whole trial at a unique destination": () => wholeTrial("unique"),
  "a late commit": lateCommit,
  "two owners": twoOwners,
  "a replay without a log": replayWithoutLog,
  "an end by rule": endedByRule,
  "a reset after the answer": afterAnswer,
  "a wake by the client": wokenByClient,
  "a known operation taken for new": takenForNew,
  "a subject that never resumes": neverResumes,
  "a damaged log": damagedLog,
  "a client that disconnects": disconnected,
  "an executor that goes on without its object": executorGoesOn,
  "an executor that is replaced": executorReplaced,
};
