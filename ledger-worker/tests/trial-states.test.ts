/** What a trial refuses because of its state: unknown, only configured, ended. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attemptBody, modelCallBody, phase, refusal, startedDraft, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const HOLD = { point: "after-commit", occurrence: 5 } as const;
const endBody = { source: "controller", reason: "completed", detail: null };
const lookUpBody = { action: "ticket", key: null, activation: "a", session: "s", call: "c" };
const record = (draft: unknown) => ({ id: "x", record: draft });

const WRITES: [string, string, unknown][] = [
  ["POST", "records", record(phase("prepare"))],
  ["POST", "attempts", attemptBody()],
  ["POST", "look-ups", lookUpBody],
  ["POST", "model-calls", modelCallBody()],
  ["POST", "model-streams", { call: 1 }],
  ["POST", "releases", { hold: HOLD, how: "drop" }],
  ["POST", "end", endBody],
];

describe("a trial that is only configured", () => {
  it.each(WRITES)("refuses %s %s until trial.started", async (method, path, body) => {
    const trial = new Trial(lab, `unstarted-${path}`);
    await trial.configure({ holds: [HOLD] });
    expect(refusal(await trial.send(method, path, body))).toMatchObject({
      status: 409,
      code: "trial-not-started",
    });
    expect(await trial.lines()).toEqual([]);
    expect(await trial.status()).toMatchObject({ records: 0, head: "0".repeat(64), attempts: 0 });
  });

  it("refuses the trial.started of another trial", async () => {
    const trial = new Trial(lab, "own");
    await trial.configure();
    const answer = refusal(await trial.send("POST", "records", record(startedDraft("other"))));
    expect(answer).toMatchObject({ status: 400, code: "body-invalid" });
    expect(answer.message).toMatch(/spec\.trial: expected "own"/);
    expect(await trial.lines()).toEqual([]);
  });

  it("takes the same configuration again", async () => {
    const trial = new Trial(lab, "again");
    expect(await trial.configure()).toEqual(await trial.configure());
  });
});

describe("an ended trial", () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await new Trial(lab, "ended").start({ holds: [HOLD] });
    await trial.end();
  });

  it.each(WRITES)("refuses %s %s and records nothing", async (method, path, body) => {
    const before = await trial.lines();
    expect(refusal(await trial.send(method, path, body))).toMatchObject({ status: 409, code: "trial-ended" });
    expect(await trial.lines()).toEqual(before);
  });
});

describe("an unknown trial", () => {
  const reads: [string, string, unknown][] = [
    ["GET", "", undefined],
    ["GET", "await?types=trial.ended", undefined],
    ["GET", "journal", undefined],
  ];
  it.each([...WRITES, ...reads])("refuses %s %s and stays unknown", async (method, path, body) => {
    const trial = new Trial(lab, "nobody");
    expect(refusal(await trial.send(method, path, body))).toMatchObject({
      status: 404,
      code: "trial-unknown",
    });
    expect(refusal(await trial.send("GET", "")).code).toBe("trial-unknown");
  });

  it.each(["Upper", "-dash", "a%2Fb", "a".repeat(101), "a%00"])("has no name such as %s", async (name) => {
    expect(refusal(await new Trial(lab, name).send("GET", ""))).toMatchObject({
      status: 400,
      code: "trial-id-invalid",
    });
  });
});
