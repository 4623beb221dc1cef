/** Who gets in: the secret, and that a ledger without one answers nobody. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusal, Trial } from "./support/ledger-client.ts";
import { type Lab, SECRET, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

describe("the secret", () => {
  it.each([
    ["no header", null],
    ["another secret", "Bearer not-the-secret-at-all"],
    ["a part of the secret", `Bearer ${SECRET.slice(0, -1)}`],
    ["the secret without scheme", SECRET],
  ])(
    "is required: %s is refused everywhere, before anything else is looked at",
    async (_what, authorization) => {
      const trial = new Trial(lab, "secret");
      await trial.configure();
      for (const [method, path] of [
        ["GET", ""],
        ["POST", "attempts"],
        ["PUT", ""],
        ["GET", "journal"],
        ["GET", "no/such/route"],
      ] as const) {
        const response = await trial.fetch(method, path, { authorization });
        expect(refusal({ status: response.status, body: await response.json() })).toMatchObject({
          status: 401,
          code: "secret-wrong",
        });
      }
      expect(await trial.lines()).toEqual([]);
    },
  );

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["too short", "fifteen-chars-x"],
  ])("that is %s in the deployment closes the ledger to everybody", async (_what, secret) => {
    const closed = await startLab({ secret });
    try {
      const trial = new Trial(closed, "closed");
      for (const authorization of [`Bearer ${secret}`, "Bearer ", null]) {
        const response = await trial.fetch("GET", "", { authorization });
        expect(refusal({ status: response.status, body: await response.json() })).toMatchObject({
          status: 503,
          code: "secret-not-configured",
        });
      }
    } finally {
      await closed.dispose();
    }
  });
});
