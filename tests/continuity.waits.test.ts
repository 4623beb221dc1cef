/**
 * Executors that are stopped, stand still or cannot be started, end to end: the real `ContainerHarness` in workerd, its real
 * daemon and an agent as processes that are really stopped and killed. One run, as long as a frozen executor takes.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { identityOf } from "../scripts/base/process-identity.ts";
import { judge } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

const EXECUTOR = "append/reissue/target=executor";
const UNSTARTABLE = `container/after-sync/unstartable/${EXECUTOR}`;
const frozen = (supervision: string) =>
  `container-retry/after-sync/pause/${EXECUTOR}/supervision=${supervision}`;
const idle = (workspace: string) =>
  `container-idle/after-answer/idle-stop/${EXECUTOR}/workspace=${workspace}`;
const STOPPED = `container/after-answer/stop/${EXECUTOR}/workspace=snapshot`;
const ALL = [
  UNSTARTABLE,
  frozen("kills"),
  frozen("cannot-kill"),
  idle("snapshot"),
  idle("snapshot-refused"),
  STOPPED,
];

describe("a session whose executor is replaced", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("continuity", ALL);
  }, 2 * RUN_TIMEOUT_MS);

  it.each(ALL)("is a valid trial: %s", (name) => {
    expect(trace(name).problems).toEqual([]);
    expect(judge(trace(name)).validity).toEqual({ value: "valid", reasons: [] });
  });

  it("is told that its container cannot be started, after five attempts, and takes work again when it can", () => {
    const { records } = trace(UNSTARTABLE);
    expect(ofType(records, "executor.refused").map(({ start }) => start)).toEqual([1, 2, 3, 4, 5]);
    expect(ofType(records, "operation.settled").at(-1)).toMatchObject({
      status: "unanswered",
      reason: "container_unavailable",
    });
    const verdict = judge(trace(UNSTARTABLE));
    expect(verdict).toMatchObject({
      execution: { value: "settled-by-policy", code: "executor-refused" },
      rebinding: { newWork: "admitted" },
    });
    expect(verdict.findings).toContainEqual(
      expect.objectContaining({
        code: "executor-starts-refused",
        facts: expect.objectContaining({ attempts: 5 }),
      }),
    );
  });

  it("has one executor at a time where one that stands still can be ended", () => {
    const { records } = trace(frozen("kills"));
    const [paused] = ofType(records, "executor.paused");
    expect(ofType(records, "executor.resumed")).toEqual([]);
    expect(ofType(records, "executor.ended")).toContainEqual(
      expect.objectContaining({ executor: paused?.executor, cause: "destroyed", signal: "SIGKILL" }),
    );
    expect(judge(trace(frozen("kills"))).replacement).toMatchObject({ value: "one-at-a-time" });
  });

  it("has two where it cannot: the old one goes on, and acts beside the next", () => {
    const { records } = trace(frozen("cannot-kill"));
    const [resumed] = ofType(records, "executor.resumed");
    const [first, second] = ofType(records, "executor.started");
    expect(resumed?.executor).toBe(first?.executor);
    expect(resumed?.seq).toBeGreaterThan(second?.seq ?? Number.POSITIVE_INFINITY);
    const asking = ofType(records, "model.requested").filter(({ seq }) => seq > (resumed?.seq ?? 0));
    expect(new Set(asking.map(({ executor }) => executor))).toEqual(
      new Set([first?.executor, second?.executor]),
    );
    expect(judge(trace(frozen("cannot-kill")))).toMatchObject({
      replacement: { value: "two-acted" },
      operations: [{ effects: 2, flags: ["duplicate"] }],
    });
  });

  it("keeps its files where the harness's snapshot of an idle container is taken, and its conversation either way", () => {
    for (const [workspace, from, files] of [
      ["snapshot", "snapshot", "kept"],
      ["snapshot-refused", "image", "lost"],
    ] as const) {
      const { records } = trace(idle(workspace));
      const [stored] = ofType(records, "workspace.stored");
      expect(stored?.snapshot === null).toBe(workspace !== "snapshot");
      expect(ofType(records, "executor.ended")[0]).toMatchObject({ cause: "destroyed" });
      expect(ofType(records, "executor.started")[1]).toMatchObject({ from });
      expect(judge(trace(idle(workspace)))).toMatchObject({
        continuity: { conversation: "kept", businessRecord: "agrees", files },
        responseExecutor: { value: "replacement-with-state" },
        response: { value: "same" },
        declared: { value: "only-declared" },
      });
    }
  });

  it("says at four moments who is there, and whose files", () => {
    const { records } = trace(STOPPED);
    const reads = ofType(records, "identity.read");
    const [first, second] = ofType(records, "executor.started").map(({ executor }) => executor);
    expect(reads.map(({ moment, executor }) => [moment, executor])).toEqual([
      ["begin", null],
      ["before", first],
      ["follow-up", second],
      ["settled", second],
    ]);
    // The snapshot brought the marker of the first, and no executor writes over one.
    expect(reads.map(({ markers }) => markers.workspace)).toEqual([null, first, first, first]);
    expect(reads.every(({ markers }) => markers.memory === trace(STOPPED).header?.spec.marker)).toBe(true);
  });

  it("leaves no process behind, not even one that could not be ended", () => {
    const pids = ALL.flatMap((name) => ofType(trace(name).records, "executor.started").map(({ pid }) => pid));
    expect(pids.length).toBeGreaterThanOrEqual(2 * ALL.length);
    expect(pids.map(identityOf).filter((identity) => identity !== null)).toEqual([]);
  });
});
