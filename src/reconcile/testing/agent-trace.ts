/** The journal of an agent that a command starts, for tests. Not used outside tests. */
import type { Factors } from "../../trace/spec.ts";
import { buildSpec, TraceBuilder, ZERO_SHA } from "./trace-builder.ts";

export type Played = {
  readonly subject?: string;
  readonly point?: Factors["point"];
  /** Of each attempt; of the first one the receipt is lost where the agent is. */
  readonly keys?: readonly (string | null)[];
  /** Attempts that find the effect of the first one. */
  readonly absorbed?: readonly number[];
  readonly looksUp?: boolean;
  readonly writes?: boolean;
  readonly claim?: "committed" | "none";
  /** How it ends by itself after its last start; null where it does not. */
  readonly exitCode?: number | null;
};

/**
 * What a journal holds of an agent of somebody's own that is started, lost in the acknowledgement gap unless `point` is `none`, and started again.
 */
export function agentTrace({
  subject = "command",
  point = "after-commit",
  keys = [null],
  absorbed = [],
  looksUp = false,
  writes = true,
  claim = "committed",
  exitCode = 0,
}: Played): TraceBuilder {
  const isLost = point !== "none";
  const spec = buildSpec({
    trial: `${subject}-${point}`,
    agent: "command",
    canary: subject === "canary-keyless",
    factors: {
      ...{
        subject,
        point,
        host: "none",
        destination: "keyed",
        key: "agent",
        reconnect: "never",
        quietMs: 10,
      },
      ...(isLost ? { reset: "kill", resets: 1 } : { reset: "none", resets: 0 }),
    },
  });
  const trace = new TraceBuilder(spec);
  const state = (sha256: string) => trace.add("state.read", { files: 1, bytes: 1, sha256, because: null });
  const start = (activation: string, generation: number) =>
    trace.activated(activation, {
      generation,
      isolate: `p-${activation}`,
      cause: "process-start",
      marker: spec.marker,
    });
  const attempt = (number: number, activation: string, generation: number) => {
    const key = keys[number - 1] ?? null;
    trace.attempt(number, activation, "unknown", { key, generation });
    if (absorbed.includes(number)) trace.deduplicate(number, "e1");
    else trace.commit(number, `e${number}`, { key });
  };
  trace
    .phase("prepare")
    .add("ledger.configured", {
      destination: "keyed",
      holds: isLost ? [{ point: "after-commit", occurrence: 1 }] : [],
    })
    .add("marker.written", { marker: spec.marker, activation: "A1" })
    .add("canary.not-offered", { why: "a process has no alarms" })
    .phase("submit");
  state(ZERO_SHA);
  start("A1", 1).submitted("first", true);
  if (isLost) {
    trace.phase("arrive");
    if (keys.length === 0) return stoppedEarly(trace, exitCode);
    attempt(1, "A1", 1);
    trace
      .withhold(1, "e1")
      .reach(1)
      .phase("look")
      .jobs({ when: "look" })
      .log([], { when: "look", offered: false, synced: null });
    trace.reset("A1", { died: true });
    trace.add("receipt.undeliverable", { attempt: 1, detail: "dropped" });
    state(writes ? "1".repeat(64) : ZERO_SHA);
    start("A2", 2).quiet().jobs({ when: "quiet", how: "offline" }).add("quiet.ended", {});
  }
  const [activation, generation] = isLost ? ["A2", 2] : ["A1", 1];
  if (looksUp)
    trace.add("entry.read", {
      action: "ticket",
      key: null,
      found: true,
      effects: ["e1"],
      activation,
      session: "ses_root",
      call: "unknown",
    });
  for (let number = isLost ? 2 : 1; number <= keys.length; number++) {
    attempt(number, activation, generation);
    trace.send(number, absorbed.includes(number) ? "e1" : `e${number}`);
  }
  if (exitCode === null)
    trace.add("wait.expired", { waitedFor: `operation ${spec.operationId}`, boundMs: 1_000 });
  else {
    trace.add("agent.ended", { activation, pid: 7, exitCode, signal: null, because: null });
    if (exitCode === 0) trace.settled(claim);
    else
      trace.settled("none", { status: "unanswered", reason: `the agent ended with exit code ${exitCode}` });
  }
  const read = { how: "object", when: "collect", error: null } as const;
  trace
    .phase("settle")
    .wait(spec.factors.settleMs)
    .phase("collect")
    .jobs()
    .log([], { offered: false, synced: null })
    .add("snapshot.transcript", { ...read, session: "ses_root", messages: [], pending: [] })
    .add("snapshot.schema", { ...read, tables: [], indexes: [] })
    .end();
  return trace;
}

function stoppedEarly(trace: TraceBuilder, exitCode: number | null): TraceBuilder {
  if (exitCode !== null)
    trace.add("agent.ended", { activation: "A1", pid: 7, exitCode, signal: null, because: null });
  return trace.end({ reason: "point-not-reached", detail: "it was not reached" });
}
