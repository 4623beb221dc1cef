/**
 * The nine traces of the recovery cases in the kit's own schema: small invented trials of which the verdict is known.
 * What the originals leave out because it does not matter there (marker, canary, the reads at the end) is added, since
 * a trial without it is no evidence. Durable events are numbered from 0.
 */
import { buildSpec, ev, logOf, TraceBuilder } from "../testing/trace-builder.ts";

const STARTED = "session.execution.started";
const SUCCEEDED = "session.execution.succeeded";
const CALLED = "session.tool.called";
const SUCCESS = "session.tool.success";
const FAILED = "session.tool.failed";
const SYNTHETIC = "session.synthetic";

/** Log of a run that was cut off in `c1` and went on with `c2`. */
const CUT_AND_REISSUED = logOf(
  [STARTED],
  [CALLED, "c1"],
  [SYNTHETIC],
  [STARTED],
  [FAILED, "c1"],
  [CALLED, "c2"],
  [SUCCESS, "c2"],
  [SUCCEEDED],
);
const INTERRUPTED = {
  results: [{ call: "c1", tool: "ledger_act", outcome: "error" as const }],
  restartNotice: true,
};

/** Committed, receipt lost, the model asks again. */
export function t01(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "after-commit", reset: "abort" } }))
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .phase("look")
    .log(logOf([STARTED], [CALLED, "c1"]), { when: "look" })
    .reset("A1")
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["c2"], INTERRUPTED)
    .attempt(2, "A2", "c2", { generation: 2 })
    .commit(2, "e2")
    .send(2, "e2")
    .turn(3, "A2", [], { results: [{ call: "c2", tool: "ledger_act", outcome: "ok" }] })
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .collect(CUT_AND_REISSUED)
    .jobs()
    .end();
}

/** The same with a stable key at a destination that honours it: two attempts, one effect. */
export function t02(): TraceBuilder {
  const key = "K1";
  return new TraceBuilder(
    buildSpec({
      factors: { point: "after-commit", reset: "kill", destination: "unique" },
      intended: [{ action: "ticket", key, effects: 1 }],
    }),
  )
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1", { key })
    .commit(1, "e1", { key })
    .withhold(1, "e1")
    .reach(1)
    .reset("A1", { died: true })
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm", isolate: "i2" })
    .turn(2, "A2", ["c2"], INTERRUPTED)
    .attempt(2, "A2", "c2", { generation: 2, key })
    .deduplicate(2, "e1")
    .send(2, "e1")
    .quietEnds("i2")
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .collect(CUT_AND_REISSUED)
    .jobs()
    .end();
}

/** Control: ended before the commit, clean second try. */
export function t03(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "before-commit", reset: "evict" } }))
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .reach(1)
    .reset("A1")
    .reject(1)
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["c2"], INTERRUPTED)
    .attempt(2, "A2", "c2", { generation: 2 })
    .commit(2, "e1")
    .send(2, "e1")
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .collect(CUT_AND_REISSUED)
    .jobs()
    .end();
}

/** The session log is clean, the ledger is not: one call, two attempts, no model call between. */
export function t04(): TraceBuilder {
  return new TraceBuilder(
    buildSpec({
      factors: { point: "none", reset: "none", resets: 0 },
      intended: [{ action: "email", key: null, effects: 1 }],
    }),
  )
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1", { action: "email" })
    .attempt(2, "A1", "c1", { action: "email" })
    .commit(1, "e1", { action: "email" })
    .send(1, "e1")
    .commit(2, "e2", { action: "email" })
    .send(2, "e2")
    .canaryFires()
    .settled("committed")
    .collect(logOf([STARTED], [CALLED, "c1"], [SUCCESS, "c1"], [SUCCEEDED]))
    .jobs()
    .end();
}

/** The variant of T04 in which the tool itself tried again after it had been answered. */
function t04Retried(): TraceBuilder {
  return new TraceBuilder(
    buildSpec({
      factors: { point: "none", reset: "none", resets: 0 },
      intended: [{ action: "email", key: null, effects: 1 }],
    }),
  )
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1", { action: "email" })
    .commit(1, "e1", { action: "email" })
    .send(1, "e1")
    .attempt(2, "A1", "c1", { action: "email" })
    .commit(2, "e2", { action: "email" })
    .send(2, "e2")
    .canaryFires()
    .settled("committed")
    .collect(logOf([STARTED], [CALLED, "c1"], [SUCCESS, "c1"], [SUCCEEDED]))
    .jobs()
    .end();
}

/** Nobody wakes it. With `canary: "silent"` the runtime itself does not keep its alarms. */
export function t05(canary: "fired" | "silent" = "fired"): TraceBuilder {
  const trace = new TraceBuilder(
    buildSpec({ factors: { point: "after-commit", reset: "kill", reconnect: "never" } }),
  )
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .commit(1, "e1")
    .withhold(1, "e1")
    .reach(1)
    .reset("A1", { died: true })
    .quiet();
  if (canary === "fired") trace.canaryFires("i2");
  return trace
    .wait(40_000)
    .add("quiet.ended", {})
    .collect(logOf([STARTED], [CALLED, "c1"]), "offline")
    .jobs({
      how: "offline",
      jobs: [{ id: "opencode-wake:ses_root", fn: "wake", dueAt: 100, running: false }],
      claims: [{ session: "ses_root", claimedAt: 50, resumeAttempts: 0 }],
    })
    .end();
}

/** Clean ending, nothing was done. */
export function t06(claim: "committed" | "unknown" = "committed"): TraceBuilder {
  return new TraceBuilder(
    buildSpec({ factors: { point: "before-commit", reset: "abort", policy: "claim-success" } }),
  )
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .reach(1)
    .reset("A1")
    .reject(1)
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", [], INTERRUPTED)
    .quietEnds()
    .reconnect("A2")
    .settled(claim)
    .submitted("again", false)
    .collect(logOf([STARTED], [CALLED, "c1"], [SYNTHETIC], [STARTED], [FAILED, "c1"], [SUCCEEDED]))
    .jobs()
    .end();
}

/** The redeploy that did not reset anything. */
export function t07(): TraceBuilder {
  const v1 = { version: { id: "v1", tag: "one" } };
  return new TraceBuilder(buildSpec({ factors: { point: "before-commit", reset: "redeploy" } }))
    .begin("A1", v1)
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .reach(1)
    .reset("A1")
    .commit(1, "e1")
    .send(1, "e1")
    .quiet()
    .quietEnds()
    .reconnect("A1")
    .settled("committed")
    .submitted("again", false)
    .collect(logOf([STARTED], [CALLED, "c1"], [SUCCESS, "c1"], [SUCCEEDED]))
    .jobs()
    .end();
}

/** Same name, empty memory. */
export function t08(): TraceBuilder {
  return new TraceBuilder(buildSpec({ factors: { point: "after-receipt", reset: "kill" } }))
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .commit(1, "e1")
    .send(1, "e1")
    .request(2, "A1", { results: [{ call: "c1", tool: "ledger_act", outcome: "ok" }] })
    .reach(null, 2)
    .phase("look")
    .log(logOf([STARTED], [CALLED, "c1"], [SUCCESS, "c1"]), { when: "look" })
    .reset("A1", { died: true })
    .quiet()
    .quietEnds("i2")
    .phase("reconnect")
    .activated("A2", { generation: 1, cause: "fetch", isolate: "i2", marker: null })
    .add("client.reconnected", { ok: true, activation: "A2", error: null })
    .settled("none", { status: "unanswered", reason: "not_found", text: null })
    .submitted("again", true)
    .turn(3, "A2", ["c9"])
    .attempt(2, "A2", "c9")
    .commit(2, "e2")
    .send(2, "e2")
    .settled("committed")
    .collect(logOf([STARTED], [CALLED, "c9"], [SUCCESS, "c9"], [SUCCEEDED]))
    .jobs()
    .end();
}

/** The recorder blinked: an early read saw events 0, 1 and 7. Without `reread` nothing fills the hole. */
export function t09(reread = true): TraceBuilder {
  const trace = new TraceBuilder(buildSpec({ factors: { point: "before-commit", reset: "abort" } }))
    .begin()
    .turn(1, "A1", ["c1"])
    .attempt(1, "A1", "c1")
    .reach(1)
    .reset("A1")
    .reject(1)
    .quiet()
    .activated("A2", { generation: 2, cause: "alarm" })
    .turn(2, "A2", ["c2"], INTERRUPTED)
    .attempt(2, "A2", "c2", { generation: 2 })
    .commit(2, "e1")
    .send(2, "e1")
    .log([ev(0, STARTED), ev(1, CALLED, "c1"), ev(7, SUCCEEDED)], {
      how: "offline",
      when: "quiet",
      gaps: [{ from: 2, to: 6 }],
    })
    .quietEnds()
    .reconnect("A2")
    .settled("committed")
    .submitted("again", false)
    .collect(CUT_AND_REISSUED)
    .jobs()
    .end();
  if (reread) return trace;
  const kept = trace.records.filter((record) => record.type !== "snapshot.log" || record.when !== "collect");
  trace.records.splice(
    0,
    trace.records.length,
    ...kept.map((record, index) => ({ ...record, seq: index + 1 })),
  );
  return trace;
}

/** Every case by name. */
export const CASES: Readonly<Record<string, () => TraceBuilder>> = {
  T01: t01,
  T02: t02,
  T03: t03,
  T04: t04,
  "T04, retried by the tool": t04Retried,
  T05: () => t05("fired"),
  "T05, silent canary": () => t05("silent"),
  T06: () => t06("committed"),
  "T06, unknown claim": () => t06("unknown"),
  T07: t07,
  T08: t08,
  T09: () => t09(true),
  "T09, no re-read": () => t09(false),
};
