import { describe, expect, it } from "vitest";
import { judge } from "../../src/reconcile/index.ts";
import { agentTrace, type Played } from "../../src/reconcile/testing/agent-trace.ts";
import { answerTry, type TriedTrial } from "./try-answer.ts";

function played(what: Played): TriedTrial {
  const trace = agentTrace(what);
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
