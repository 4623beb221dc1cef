/** The destination: what an attempt becomes, and that an effect and its record are never apart. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ofType, parseTrace } from "../../src/trace/index.ts";
import { attemptBody, refusal, sha256, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";
import { changeDatabase } from "./support/storage.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

describe("destination append", () => {
  it("makes an effect of every attempt, equal ones too", async () => {
    const trial = await new Trial(lab, "append").start();
    const first = await trial.attempt({ key: "k" });
    const second = await trial.attempt({ key: "k" });
    expect(first).toMatchObject({ attempt: 1, effect: "e1", deduplicated: false });
    expect(second).toMatchObject({ attempt: 2, effect: "e2", deduplicated: false });
    expect(first.receipt).not.toBe(second.receipt);
    expect(await trial.types()).toEqual([
      "trial.started",
      "ledger.configured",
      "attempt.received",
      "effect.committed",
      "receipt.sent",
      "attempt.received",
      "effect.committed",
      "receipt.sent",
    ]);
  });

  it("records who attempted what, and of the payload only its hash", async () => {
    const trial = await new Trial(lab, "caller").start();
    const { receipt } = await trial.attempt({ key: "k", payload: "ä ticket", call: "call-7", generation: 3 });
    const records = await trial.records();
    expect(records[2]).toMatchObject({
      source: "ledger",
      type: "attempt.received",
      attempt: 1,
      action: "ticket",
      key: "k",
      payloadSha256: sha256("ä ticket"),
      activation: "a1",
      generation: 3,
      session: "s1",
      message: "m1",
      call: "call-7",
    });
    expect(records[2]).not.toHaveProperty("payload");
    expect(records[3]).toMatchObject({
      type: "effect.committed",
      effect: "e1",
      action: "ticket",
      key: "k",
      receipt,
    });
    expect(records[4]).toMatchObject({ type: "receipt.sent", attempt: 1, effect: "e1", receipt });
  });
});

describe("destination unique", () => {
  it("gives 20 concurrent equal attempts one effect and one receipt", async () => {
    const trial = await new Trial(lab, "unique").start({ destination: "unique" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => trial.attempt({ key: "k" })));
    expect(new Set(answers.map((answer) => answer.receipt)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.effect))).toEqual(new Set(["e1"]));
    expect(answers.filter((answer) => !answer.deduplicated)).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.attempt)).size).toBe(20);
    const records = await trial.records();
    expect(ofType(records, "effect.committed")).toHaveLength(1);
    expect(ofType(records, "effect.deduplicated")).toHaveLength(19);
    expect(ofType(records, "receipt.sent")).toHaveLength(20);
    expect(await trial.status()).toMatchObject({ attempts: 20, effects: 1, openAttempts: [] });
  });

  it("takes the action for the key where none is given, and tells keys and actions apart", async () => {
    const trial = await new Trial(lab, "scope").start({ destination: "unique" });
    const effectOf = async (action: string, key: string | null) =>
      (await trial.attempt({ action, key })).effect;
    expect(await effectOf("ticket", null)).toBe("e1");
    expect(await effectOf("ticket", "ticket")).toBe("e1");
    expect(await effectOf("ticket", "other")).toBe("e2");
    expect(await effectOf("email", "other")).toBe("e3");
    expect(await effectOf("ticket", "\ud800")).toBe("e4");
    expect(await effectOf("ticket", "\ud801")).toBe("e5");
    expect(await effectOf("ticket", "\ud800")).toBe("e4");
  });
});

describe("look-ups", () => {
  it("finds by action and key, by action alone, or nothing, and records what they returned", async () => {
    const trial = await new Trial(lab, "look-ups").start();
    const first = await trial.attempt({ key: "k" });
    const second = await trial.attempt({ key: null });
    await trial.attempt({ action: "email" });
    const entry = ({ effect, receipt }: typeof first) => ({ effect, receipt });
    expect(await trial.lookUp({ key: "k" })).toEqual({ found: true, effects: [entry(first)] });
    expect(await trial.lookUp()).toEqual({ found: true, effects: [entry(first), entry(second)] });
    expect(await trial.lookUp({ key: "absent" })).toEqual({ found: false, effects: [] });
    expect(ofType(await trial.records(), "entry.read")).toMatchObject([
      { key: "k", found: true, effects: ["e1"], call: "c9" },
      { key: null, found: true, effects: ["e1", "e2"] },
      { key: "absent", found: false, effects: [] },
    ]);
  });
});

describe("look-ups of a destination whose reads lag", () => {
  it("show what there was before the trial, and record that they found nothing", async () => {
    const trial = await new Trial(lab, "stale-look-ups").start({ lookUps: "stale" });
    await trial.attempt({ key: "k" });
    expect(await trial.lookUp({ key: "k" })).toEqual({ found: false, effects: [] });
    expect(await trial.lookUp()).toEqual({ found: false, effects: [] });
    const types = (await trial.records()).map(({ type }) => type);
    expect(types).toContain("effect.committed");
    expect(types.filter((type) => type === "entry.read")).toHaveLength(2);
  });
});

describe("one transaction for effect and record", () => {
  it.each([
    ["the record", "journal", "NEW.type = 'effect.committed'"],
    ["the effect", "effect", "true"],
  ])("keeps neither when %s cannot be written", async (_what, table, condition) => {
    const trial = await new Trial(lab, `atomic-${table}`).start({
      holds: [{ point: "after-commit", occurrence: 1 }],
    });
    await lab.stop();
    changeDatabase(
      lab.folder,
      trial.name,
      `CREATE TRIGGER broken BEFORE INSERT ON ${table} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, 'disk trouble'); END`,
    );
    await lab.start();
    expect(refusal(await trial.send("POST", "attempts", attemptBody()))).toMatchObject({
      status: 500,
      code: "ledger-failed",
    });
    // The attempt arrived, and that stays known; of its commit nothing is left, the reached hold included.
    expect(await trial.types()).toEqual(["trial.started", "ledger.configured", "attempt.received"]);
    expect(await trial.status()).toMatchObject({ attempts: 1, effects: 0, openAttempts: [1], heldNow: [] });
    // The same object, which remembers nothing of what was undone: the chain goes on from what is stored.
    await trial.modelCall();
    expect(parseTrace(await trial.trace(), sha256).problems).toEqual([]);

    await lab.stop();
    changeDatabase(lab.folder, trial.name, "DROP TRIGGER broken");
    await lab.start();
    expect((await trial.attempt()).effect).toBe("e1");
  });
});
