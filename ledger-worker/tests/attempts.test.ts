import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Trial } from "./support/client.ts";
import { type Lab, startLab } from "./support/lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

describe("append destination", () => {
  it("makes an effect of every attempt and records receipt of each in order", async () => {
    const trial = await new Trial(lab, "append").start();
    const first = await trial.attempt();
    const second = await trial.attempt();
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
});
