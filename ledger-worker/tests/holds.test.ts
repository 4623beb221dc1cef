/** Holds: where requests wait, what each release does, and what a restart of the ledger leaves of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hold, RecordType } from "../../src/trace/index.ts";
import { attemptBody, modelCallBody, ok, refusal, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const at = (point: Hold["point"], occurrence = 1): Hold => ({ point, occurrence });
const BEFORE = at("before-commit");
const AFTER = at("after-commit");

/** Types of the records after `ledger.configured`. */
async function since(trial: Trial): Promise<RecordType[]> {
  return (await trial.types()).slice(2);
}

/** Starts a trial whose first attempt is held at each of `holds`, and that attempt. */
async function held(name: string, ...holds: Hold[]) {
  const trial = await new Trial(lab, name).start({ holds });
  const answer = trial.send("POST", "attempts", attemptBody());
  // The answer of a request that the restart of the ledger cuts is nobody's concern.
  answer.catch(() => {});
  await trial.until("hold.reached");
  return { trial, answer };
}

describe("before-commit", () => {
  it("has neither effect nor receipt while it is held", async () => {
    const { trial } = await held("before-held", BEFORE);
    expect(await since(trial)).toEqual(["attempt.received", "hold.reached"]);
    expect(await trial.status()).toMatchObject({
      attempts: 1,
      effects: 0,
      openAttempts: [1],
      heldNow: [BEFORE],
    });
    expect(await trial.lookUp()).toEqual({ found: false, effects: [] });
  });

  it("commits when it proceeds, in the order of the later attempts' effects", async () => {
    const { trial, answer } = await held("before-proceed", BEFORE);
    expect(await trial.attempt()).toMatchObject({ attempt: 2, effect: "e1" });
    expect(await trial.release(BEFORE, "proceed")).toMatchObject({
      effects: 2,
      openAttempts: [],
      heldNow: [],
    });
    expect(ok(await answer)).toMatchObject({ attempt: 1, effect: "e2" });
    expect((await since(trial)).slice(-3)).toEqual(["hold.released", "effect.committed", "receipt.sent"]);
  });

  it("is rejected when it is dropped, and its caller is told so", async () => {
    const { trial, answer } = await held("before-drop", BEFORE);
    expect(await trial.release(BEFORE, "drop")).toMatchObject({ effects: 0, openAttempts: [] });
    expect(refusal(await answer)).toMatchObject({ status: 409, code: "attempt-rejected" });
    const records = await trial.records();
    expect(records.at(-2)).toMatchObject({ type: "hold.released", hold: BEFORE, why: "controller" });
    expect(records.at(-1)).toMatchObject({
      type: "attempt.rejected",
      attempt: 1,
      reason: "closed-before-commit",
    });
  });

  it("gets the earlier receipt when it proceeds late and the destination is unique", async () => {
    const trial = await new Trial(lab, "before-unique").start({ destination: "unique", holds: [BEFORE] });
    const answer = trial.send("POST", "attempts", attemptBody());
    await trial.until("hold.reached");
    const { receipt } = await trial.attempt();
    await trial.release(BEFORE, "proceed");
    expect(ok(await answer)).toEqual({ attempt: 1, effect: "e1", receipt, deduplicated: true });
  });

  it("is held again with its receipt when both points are configured", async () => {
    const { trial, answer } = await held("both", BEFORE, AFTER);
    expect(await trial.release(BEFORE, "proceed")).toMatchObject({ effects: 1, heldNow: [AFTER] });
    await trial.release(AFTER, "proceed");
    expect(ok(await answer)).toMatchObject({ attempt: 1, effect: "e1" });
    expect(await since(trial)).toEqual([
      "attempt.received",
      "hold.reached",
      "hold.released",
      "effect.committed",
      "receipt.withheld",
      "hold.reached",
      "hold.released",
      "receipt.released",
      "receipt.sent",
    ]);
  });
});

describe("after-commit", () => {
  it("is committed while its receipt is withheld, and look-ups see it", async () => {
    const { trial } = await held("after-held", AFTER);
    expect(await since(trial)).toEqual([
      "attempt.received",
      "effect.committed",
      "receipt.withheld",
      "hold.reached",
    ]);
    expect(await trial.status()).toMatchObject({ effects: 1, openAttempts: [], heldNow: [AFTER] });
    expect((await trial.lookUp()).found).toBe(true);
  });

  it("hands the receipt over when it proceeds", async () => {
    const { trial, answer } = await held("after-proceed", AFTER);
    await trial.release(AFTER, "proceed");
    expect(ok(await answer)).toMatchObject({ attempt: 1, effect: "e1", deduplicated: false });
    expect((await since(trial)).slice(-3)).toEqual(["hold.released", "receipt.released", "receipt.sent"]);
  });

  it("makes the receipt undeliverable when it is dropped, and never says that the attempt was rejected", async () => {
    const { trial, answer } = await held("after-drop", AFTER);
    expect(await trial.release(AFTER, "drop")).toMatchObject({ effects: 1 });
    expect(refusal(await answer)).toMatchObject({ status: 409, code: "receipt-undeliverable" });
    expect((await since(trial)).slice(-2)).toEqual(["hold.released", "receipt.undeliverable"]);
  });

  it("holds only the attempt that it names", async () => {
    const trial = await new Trial(lab, "second-only").start({ holds: [at("after-commit", 2)] });
    await trial.attempt();
    const second = trial.send("POST", "attempts", attemptBody());
    await trial.until("hold.reached");
    expect(await trial.attempt()).toMatchObject({ attempt: 3 });
    await trial.release(at("after-commit", 2), "proceed");
    expect(ok(await second)).toMatchObject({ attempt: 2 });
  });
});

describe("releases", () => {
  it.each(["proceed", "drop"] as const)("disarm a hold that was not reached yet (%s)", async (how) => {
    const trial = await new Trial(lab, `disarm-${how}`).start({ holds: [BEFORE, AFTER] });
    await trial.release(BEFORE, how);
    await trial.release(AFTER, how);
    expect(await trial.attempt()).toMatchObject({ effect: "e1" });
    expect(await since(trial)).toEqual([
      "hold.released",
      "hold.released",
      "attempt.received",
      "effect.committed",
      "receipt.sent",
    ]);
  });

  it("record nothing when they are repeated", async () => {
    const { trial } = await held("repeat-release", AFTER);
    await trial.release(AFTER, "drop");
    const before = await trial.lines();
    await trial.release(AFTER, "drop");
    expect(await trial.lines()).toEqual(before);
  });
});

describe("model calls", () => {
  it("are numbered over all and by purpose, and answered with the trial's policy", async () => {
    const trial = await new Trial(lab, "model-numbers").start({ policy: "look-up", key: "call-id" });
    expect(await trial.modelCall({ purpose: "title" })).toMatchObject({ call: 1, ordinal: 1 });
    expect(await trial.modelCall()).toMatchObject({ call: 2, ordinal: 1, policy: "look-up", key: "call-id" });
    expect(await trial.modelCall({ purpose: "compaction" })).toMatchObject({ call: 3, ordinal: 1 });
    expect(await trial.modelCall()).toMatchObject({ call: 4, ordinal: 2 });
  });

  it("hold at the n-th turn request, counting turns only, after the record is written", async () => {
    const hold = at("model-request", 2);
    const trial = await new Trial(lab, "model-request").start({ holds: [hold] });
    await trial.modelCall();
    await trial.modelCall({ purpose: "title" });
    const answer = trial.send("POST", "model-calls", modelCallBody());
    const reached = await trial.until("hold.reached");
    expect(reached).toMatchObject({ hold, attempt: null, call: 3 });
    expect((await trial.types()).at(-2)).toBe("model.requested");
    await trial.release(hold, "proceed");
    expect(ok(await answer)).toMatchObject({ call: 3, ordinal: 2 });
  });

  it("are answered with an error when their hold is dropped", async () => {
    const trial = await new Trial(lab, "model-drop").start({ holds: [at("model-request")] });
    const answer = trial.send("POST", "model-calls", modelCallBody());
    await trial.until("hold.reached");
    await trial.release(at("model-request"), "drop");
    expect(refusal(await answer)).toMatchObject({ status: 409, code: "hold-dropped" });
  });

  it("hold their stream by turn ordinal", async () => {
    const hold = at("model-stream");
    const trial = await new Trial(lab, "model-stream").start({ holds: [hold] });
    await trial.modelCall({ purpose: "title" });
    await trial.modelCall();
    expect(ok(await trial.send("POST", "model-streams", { call: 1 }))).toEqual({});
    const answer = trial.send("POST", "model-streams", { call: 2 });
    expect(await trial.until("hold.reached")).toMatchObject({ hold, call: 2 });
    await trial.release(hold, "proceed");
    expect(ok(await answer)).toEqual({});
  });

  it("hold after-receipt at turn requests that follow the first sent receipt", async () => {
    const [first, second] = [at("after-receipt", 1), at("after-receipt", 2)];
    const trial = await new Trial(lab, "after-receipt").start({ holds: [first, second] });
    await trial.modelCall();
    await trial.attempt();
    await trial.modelCall({ purpose: "title" });
    const one = trial.send("POST", "model-calls", modelCallBody());
    expect(await trial.until("hold.reached")).toMatchObject({ hold: first, attempt: null, call: 3 });
    const two = trial.send("POST", "model-calls", modelCallBody());
    expect(await trial.until("hold.reached", 2)).toMatchObject({ hold: second, call: 4 });
    await trial.release(second, "drop");
    await trial.release(first, "proceed");
    expect(ok(await one)).toMatchObject({ call: 3, ordinal: 2 });
    expect(refusal(await two).code).toBe("hold-dropped");
  });

  it("wait for all holds that they reach", async () => {
    const holds = [at("model-request", 1), at("after-receipt", 1)];
    const trial = await new Trial(lab, "two-holds").start({ holds });
    await trial.attempt();
    const answer = trial.send("POST", "model-calls", modelCallBody());
    await trial.until("hold.reached", 2);
    await trial.release(holds[1]!, "proceed");
    expect((await trial.status()).heldNow).toEqual([holds[0]]);
    await trial.release(holds[0]!, "proceed");
    expect(ok(await answer)).toMatchObject({ call: 1 });
  });
});

describe("a restart of the ledger in the middle of a hold", () => {
  it("keeps an uncommitted attempt open, and commits it late without a caller", async () => {
    const { trial } = await held("restart-before", BEFORE);
    const before = await trial.lines();
    await lab.stop();
    await lab.start();
    expect(await trial.lines()).toEqual(before);
    expect(await trial.status()).toMatchObject({ openAttempts: [1], heldNow: [BEFORE] });
    await trial.release(BEFORE, "proceed");
    expect((await since(trial)).slice(2)).toEqual([
      "hold.released",
      "effect.committed",
      "receipt.undeliverable",
    ]);
    expect((await trial.records()).at(-1)).toMatchObject({
      detail: "the connection was lost when the ledger restarted",
    });
    expect((await trial.lookUp()).found).toBe(true);
  });

  it("keeps a withheld receipt withheld, and never calls it sent", async () => {
    const { trial } = await held("restart-after", AFTER);
    await lab.stop();
    await lab.start();
    expect(await trial.status()).toMatchObject({ effects: 1, heldNow: [AFTER] });
    await trial.release(AFTER, "proceed");
    expect((await since(trial)).slice(4)).toEqual([
      "hold.released",
      "receipt.released",
      "receipt.undeliverable",
    ]);
  });

  it("keeps an armed hold armed", async () => {
    const trial = await new Trial(lab, "restart-armed").start({ holds: [at("after-commit", 2)] });
    await trial.attempt();
    await lab.stop();
    await lab.start();
    const second = trial.send("POST", "attempts", attemptBody());
    expect(await trial.until("hold.reached")).toMatchObject({ attempt: 2 });
    await trial.release(at("after-commit", 2), "proceed");
    expect(ok(await second)).toMatchObject({ effect: "e2" });
  });
});
