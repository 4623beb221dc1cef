/** The long-poll. A broken wake-up shows as a test that takes as long as the poll's bound, and so times out. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AWAIT_MS_MAX } from "../../src/trace/protocol/ledger-protocol.ts";
import { phase, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

/** Well below the bound of the polls below. */
const BELOW_BOUND_MS = 10_000;

describe("await", () => {
  it("answers the first matching record after the seq at once when there is one", async () => {
    const trial = await new Trial(lab, "present").start();
    await trial.append("1", phase("prepare"));
    await trial.append("2", phase("submit"));
    expect(await trial.await(["phase.entered"])).toMatchObject({
      record: { seq: 3, phase: "prepare" },
      records: 4,
    });
    expect(await trial.await(["phase.entered", "trial.started"], 3)).toMatchObject({ record: { seq: 4 } });
  });

  it(
    "is woken by the append it waits for, and by no other",
    async () => {
      const trial = await new Trial(lab, "woken").start();
      const waiting = trial.await(["attempt.received", "trial.ended"], 2, AWAIT_MS_MAX);
      const many = Array.from({ length: 10 }, () => trial.await(["receipt.sent"], 0, AWAIT_MS_MAX));
      await trial.append("1", phase("prepare"));
      await trial.append("2", phase("submit"));
      await trial.attempt();
      expect(await waiting).toMatchObject({ record: { type: "attempt.received", seq: 5 } });
      for (const answer of await Promise.all(many)) expect(answer).toMatchObject({ record: { seq: 7 } });
    },
    BELOW_BOUND_MS,
  );

  it("answers null when its bound runs out", async () => {
    const trial = await new Trial(lab, "bound").start();
    expect(await trial.await(["receipt.sent"], 0, 50)).toEqual({ record: null, records: 2 });
    expect(await trial.await(["receipt.sent"], 0, 0)).toEqual({ record: null, records: 2 });
  });

  it(
    "answers null when the journal is closed, since nothing can follow",
    async () => {
      const trial = await new Trial(lab, "closed").start();
      const waiting = trial.await(["receipt.sent"], 0, AWAIT_MS_MAX);
      await trial.end();
      expect(await waiting).toEqual({ record: null, records: 3 });
      expect(await trial.await(["receipt.sent"], 0, AWAIT_MS_MAX)).toEqual({ record: null, records: 3 });
    },
    BELOW_BOUND_MS,
  );

  it("waits for the first record of a trial that is only configured", async () => {
    const trial = new Trial(lab, "configured");
    await trial.configure();
    const waiting = trial.await(["ledger.configured"], 0, AWAIT_MS_MAX);
    await trial.start();
    expect(await waiting).toMatchObject({ record: { seq: 2 } });
  });
});
