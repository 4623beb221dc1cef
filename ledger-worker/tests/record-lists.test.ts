/** Several records in one request: in their order, each once, all or none; and what stands under an id. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { AppendListResponse, RecordResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import { config, ok, phase, refusal, startedDraft, Trial } from "./support/ledger-client.ts";
import { type Lab, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const listOf = (...records: unknown[]) => ({ records });

it("appends a list in its order, from trial.started on", async () => {
  const trial = new Trial(lab, "list");
  await trial.configure();
  const list = listOf(
    { id: "start", record: startedDraft(trial.name) },
    { id: "one", record: phase("prepare") },
    { id: "two", record: phase("submit") },
  );
  const { answers } = AppendListResponse.parse(ok(await trial.send("POST", "record-lists", list)));
  expect(answers).toEqual([
    { seq: 1, repeated: false },
    { seq: 3, repeated: false },
    { seq: 4, repeated: false },
  ]);
  expect(await trial.types()).toEqual([
    "trial.started",
    "ledger.configured",
    "phase.entered",
    "phase.entered",
  ]);
});

it("appends what is new of a list and repeats nothing", async () => {
  const trial = await new Trial(lab, "again").start();
  await trial.append("one", phase("prepare"));
  const list = listOf({ id: "one", record: phase("prepare") }, { id: "two", record: phase("submit") });
  const { answers } = AppendListResponse.parse(ok(await trial.send("POST", "record-lists", list)));
  expect(answers).toEqual([
    { seq: 3, repeated: true },
    { seq: 4, repeated: false },
  ]);
});

it("appends nothing of a list that it refuses a part of", async () => {
  const trial = await new Trial(lab, "refused").start();
  const list = listOf(
    { id: "one", record: phase("prepare") },
    {
      id: "two",
      record: {
        source: "controller",
        type: "trial.ended",
        reason: "completed",
        detail: null,
        openAttempts: [],
      },
    },
  );
  expect(refusal(await trial.send("POST", "record-lists", list))).toMatchObject({
    code: "source-not-allowed",
  });
  expect(await trial.types()).toEqual(["trial.started", "ledger.configured"]);
});

it("gives the record of an id, and null where nothing stands under it", async () => {
  const trial = await new Trial(lab, "by-id").start();
  await trial.append("a:b/c d", phase("prepare"));
  const recorded = async (id: string) =>
    RecordResponse.parse(ok(await trial.send("GET", `records/${encodeURIComponent(id)}`))).record;
  expect(await recorded("a:b/c d")).toMatchObject({ seq: 3, type: "phase.entered", phase: "prepare" });
  expect(await recorded("nothing")).toBeNull();
});

it("keeps the configuration that it was given first", async () => {
  const trial = new Trial(lab, "configured");
  await trial.configure();
  expect(refusal(await trial.send("PUT", "", config({ policy: "give-up" })))).toMatchObject({
    code: "trial-exists",
  });
});
