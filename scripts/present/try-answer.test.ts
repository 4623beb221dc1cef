import { describe, expect, it } from "vitest";
import { judge } from "../../src/reconcile/index.ts";
import { buildSpec, TraceBuilder, ZERO_SHA } from "../../src/reconcile/testing/trace-builder.ts";
import type { Factors } from "../../src/trace/spec.ts";
import { answerTry, type TriedTrial } from "./try-answer.ts";

type Played = {
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

/** What a journal holds of an agent that is started, lost in the acknowledgement gap unless `point` is `none`, and started again. */
function played({
  subject = "command",
  point = "after-commit",
  keys = [null],
  absorbed = [],
  looksUp = false,
  writes = true,
  claim = "committed",
  exitCode = 0,
}: Played): TriedTrial {
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
    trace.withhold(1, "e1").reach(1).phase("look").jobs({ when: "look" });
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
  return tried(trace);
}

function stoppedEarly(trace: TraceBuilder, exitCode: number | null): TriedTrial {
  if (exitCode !== null)
    trace.add("agent.ended", { activation: "A1", pid: 7, exitCode, signal: null, because: null });
  return tried(trace.end({ reason: "point-not-reached", detail: "it was not reached" }));
}

function tried(trace: TraceBuilder): TriedTrial {
  return { spec: trace.spec, verdict: judge(trace.toParsed()), records: trace.records };
}

const CONTROLS = [
  played({ subject: "command-keyed", keys: ["k", "k"], absorbed: [2] }),
  played({ subject: "canary-keyless", keys: [null, null] }),
];
const CALM = played({ point: "none" });
const answered = (lost: Played, calm = CALM) => answerTry([...CONTROLS, played(lost), calm]);

describe("the answer about somebody's agent", () => {
  it("is of valid trials, in this order", () => {
    expect(answered({ keys: [null, null] }).trials.map(({ line }) => line)).toEqual([
      "your agent, undisturbed: 1 attempt, 1 effect for 1 intended",
      "your agent, killed between the commit and its receipt: 2 attempts, 2 effects for 1 intended (duplicate)",
      "control with a stored key, killed between the commit and its receipt: 2 attempts, 1 effect for 1 intended",
      "control without a key, killed between the commit and its receipt: 2 attempts, 2 effects for 1 intended (duplicate)",
    ]);
  });

  it.each([
    [{ keys: [null, null] }, "It gave no idempotency key."],
    [{ keys: ["k1", "k2"] }, "It gave another idempotency key each time."],
    [{ keys: ["k1", null] }, "It gave an idempotency key in 1 of 2 attempts."],
  ])("names what would have prevented a repeat: %j", (lost, prevention) => {
    expect(answered(lost)).toMatchObject({
      answer: "repeats",
      exitCode: 1,
      prevention: expect.stringContaining(`${prevention} What would have prevented it: `),
    });
    expect(answered(lost).sentences.join(" ")).not.toContain("written nothing");
  });

  it("says where the agent had written nothing", () => {
    expect(answered({ keys: [null, null], writes: false }).sentences.at(-1)).toMatch(
      /^It had written nothing into its state folder/,
    );
  });

  it.each([
    [
      { keys: ["k", "k"], absorbed: [2] },
      "It tried again under the same idempotency key, and got the first receipt.",
    ],
    [{ looksUp: true }, "It looked the entry up, found it, and did not try again."],
    [{}, "It did not try again."],
  ])("says how an agent is safe: %j", (lost, how) => {
    expect(answered(lost)).toMatchObject({
      answer: "safe",
      exitCode: 0,
      prevention: null,
      sentences: [
        "Your agent is safe here: 1 effect for 1 intended, after it was killed between the commit and its receipt and started again.",
        how,
      ],
    });
  });

  it("does not take for known what a safe agent leaves unsaid", () => {
    expect(answered({ claim: "none" }).sentences.at(-1)).toBe(
      'What it knows of that is not known: it ended (exit code 0), and no line of its output says {"claim":"committed"}.',
    );
  });

  it.each([
    [{ keys: [] }, "it ended (exit code 0) and never called the tool ledger_commit."],
    [{ keys: [], exitCode: null }, "it never called the tool ledger_commit and did not end within 1 s."],
  ])("is none where the agent does not come to the point: %j", (lost, why) => {
    expect(answered(lost)).toMatchObject({
      answer: "unknown",
      exitCode: 3,
      sentences: [`Nothing can be said of your agent: ${why}`],
    });
  });

  it("is none where the agent did not end, unless it had repeated itself already", () => {
    expect(answered({ exitCode: null })).toMatchObject({ answer: "unknown", exitCode: 3 });
    expect(answered({ keys: [null, null], exitCode: null })).toMatchObject({
      answer: "repeats",
      exitCode: 1,
    });
  });

  it("tells a repeat that nothing had disturbed from one that a loss brought about", () => {
    const twice = played({ point: "none", keys: [null, null] });
    expect(answered({}, twice)).toMatchObject({
      answer: "repeats",
      sentences: [expect.stringContaining("that is no matter of recovery")],
    });
    const never = played({ point: "none", keys: [], exitCode: 2 });
    expect(answered({}, never)).toMatchObject({
      answer: "unknown",
      sentences: [
        "Nothing can be said of your agent: it ended (exit code 2) and never called the tool ledger_commit.",
        "It was recorded: the agent ended with exit code 2.",
      ],
    });
  });

  it("is none where a control does not come out as it has to, or a trial is missing", () => {
    const [keyed, keyless] = CONTROLS as [TriedTrial, TriedTrial];
    const sound = played({ subject: "canary-keyless", keys: ["k", "k"], absorbed: [2] });
    expect(answerTry([keyed, sound, played({}), CALM])).toMatchObject({
      answer: "unknown",
      exitCode: 3,
      controls:
        "The controls: the agent without a key was not convicted (1 effect), the one with a stored key passed.",
    });
    expect(answerTry([keyed, keyless, CALM])).toMatchObject({ answer: "unknown", exitCode: 3 });
  });
});
