/** The end of a trial: what it lets go, what it counts, and that nothing is recorded after it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hold } from "../../src/trace/index.ts";
import { attemptBody, modelCallBody, refusal, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const holds: Hold[] = [
  { point: "before-commit", occurrence: 1 },
  { point: "after-commit", occurrence: 2 },
  { point: "model-request", occurrence: 1 },
  { point: "model-stream", occurrence: 7 },
];

/** A trial with an open attempt, a withheld receipt and a held model call. */
async function busy(name: string) {
  const trial = await new Trial(lab, name).start({ holds });
  const waiting = [];
  for (const [index, [path, body]] of [
    ["attempts", attemptBody()] as const,
    ["attempts", attemptBody()] as const,
    ["model-calls", modelCallBody()] as const,
  ].entries()) {
    waiting.push(trial.send("POST", path, body));
    await trial.until("hold.reached", index + 1);
  }
  return { trial, waiting };
}

describe("end", () => {
  it("lets go what is held, counts what is open, and closes the journal, in one step", async () => {
    const { trial, waiting } = await busy("end");
    const before = (await trial.lines()).length;
    expect(await trial.end()).toMatchObject({
      ended: "completed",
      heldNow: [],
      openAttempts: [1],
      attempts: 2,
      effects: 1,
    });
    expect((await trial.records()).slice(before)).toMatchObject([
      { type: "hold.released", hold: holds[1], why: "trial-ended" },
      { type: "receipt.undeliverable", attempt: 2, detail: "still withheld when the trial ended" },
      { type: "hold.released", hold: holds[0], why: "trial-ended" },
      { type: "hold.released", hold: holds[2], why: "trial-ended" },
      { type: "trial.ended", source: "controller", reason: "completed", detail: null, openAttempts: [1] },
    ]);
    for (const answer of await Promise.all(waiting))
      expect(refusal(answer)).toMatchObject({ status: 409, code: "trial-ended" });
    expect((await trial.types()).at(-1)).toBe("trial.ended");
  });

  it("stays the end after a restart of the ledger", async () => {
    const { trial, waiting } = await busy("end-restart");
    await trial.end();
    await Promise.all(waiting);
    const lines = await trial.lines();
    await lab.stop();
    await lab.start();
    expect(refusal(await trial.send("POST", "attempts", attemptBody())).code).toBe("trial-ended");
    expect(await trial.lines()).toEqual(lines);
  });

  it("lets go what was held by a ledger that was restarted since", async () => {
    const trial = await new Trial(lab, "end-lost").start({
      holds: [{ point: "after-commit", occurrence: 1 }],
    });
    trial.send("POST", "attempts", attemptBody()).catch(() => {});
    await trial.until("hold.reached");
    await lab.stop();
    await lab.start();
    await trial.end();
    expect((await trial.types()).slice(-3)).toEqual([
      "hold.released",
      "receipt.undeliverable",
      "trial.ended",
    ]);
  });
});
