/**
 * Real trials end to end: workerd processes, the real OpenCodeHarness on the stand-in host, resets that are really
 * delivered, traces on disk, and the verdict computed from those files. Slow by nature: a recovery takes the harness's
 * 30 s heartbeat, so all trials here share one run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { judge } from "../src/reconcile/index.ts";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

const CONDITIONS = [
  "opencode/after-commit/abort/append/reissue",
  "opencode/after-commit/kill/append/reissue",
  "canary-replay/after-commit/abort/append/reissue",
];

/** An object that is aborted is lost behind its Worker, which passes the text on; a killed process answers nothing. */
const TOLD = {
  abort: { status: 502, error: "recovery-kit: reset by ctx.abort()" },
  kill: { status: null, error: "Network connection lost." },
} as const;

describe("one abort trial, one kill trial and one canary", () => {
  let trace: (condition: string) => ParsedTrace;
  beforeAll(async () => {
    trace = await runTrials("recovery", CONDITIONS);
  }, RUN_TIMEOUT_MS);

  for (const reset of ["abort", "kill"] as const) {
    describe(reset, () => {
      const condition = `opencode/after-commit/${reset}/append/reissue`;

      it("is a valid trial with a whole trace", () => {
        expect(trace(condition).problems).toEqual([]);
        expect(judge(trace(condition)).validity).toEqual({ value: "valid", reasons: [] });
      });

      it("tells what a client was told whose request was open when the host was lost", () => {
        expect(ofType(trace(condition).records, "request.ended")).toMatchObject([
          { end: "failed", ...TOLD[reset] },
        ]);
      });

      it("restores the session on a replacement that woke by itself", () => {
        const verdict = judge(trace(condition));
        expect(verdict.session.value).toBe("restored");
        expect(verdict.execution.value).toBe("resumed");
        expect(verdict.executor.value).toBe("replacement-with-state");
        expect(verdict.autonomous.value).toBe("yes");
        expect(verdict.rebinding).toMatchObject({ generationBefore: 1, newWork: "admitted" });
        // Who answers the client may be a later life: a runtime evicts an idle object as it pleases.
        const worker = ofType(trace(condition).records, "subject.activated").find(
          ({ activation }) => activation === verdict.executor.activation,
        );
        expect(worker?.generation).toBe(2);
      });

      it("performs the action twice because the model asked for it again", () => {
        const verdict = judge(trace(condition));
        expect(verdict.operations).toMatchObject([
          { intended: 1, attempts: 2, effects: 2, flags: ["duplicate"] },
        ]);
        expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "model-reissue" }]);
        const [first, second] = ofType(trace(condition).records, "attempt.received");
        expect(second?.call).not.toBe(first?.call);
      });

      it("records the first call as failed although its effect committed", () => {
        expect(judge(trace(condition)).callMismatches).toMatchObject([
          { recorded: "failed", committed: true },
        ]);
      });

      it("reads the session before the reset as at the end, with the same tables in the same shape", () => {
        const { records } = trace(condition);
        const [before] = ofType(records, "reset.requested");
        const early = records.filter(({ seq }) => seq < (before?.seq ?? 0));
        expect(ofType(early, "snapshot.transcript")).toMatchObject([
          { when: "look", via: "history", pending: [{ status: "running" }], error: null },
        ]);
        const [looked, collected] = ofType(records, "snapshot.schema").map(({ tables }) =>
          tables.map(({ name, sql }) => ({ name, sql })),
        );
        expect(ofType(early, "snapshot.schema")).toMatchObject([{ when: "look", error: null }]);
        expect(looked).toEqual(collected);
        const sql = expect.stringMatching(/^[0-9a-f]{16}$/);
        expect(looked).toContainEqual({ name: "opencode_event", sql });
      });

      it("reads the log on from its cursor after the reset, and what it has then is what the whole log has", () => {
        const logs = ofType(trace(condition).records, "snapshot.log").filter(({ how }) => how === "object");
        expect(logs.map(({ when }) => when)).toEqual(["look", "reconnect", "collect"]);
        const [look, on, whole] = logs.map(({ events }) => events.map(({ seq, hash }) => ({ seq, hash })));
        expect(logs[1]).toMatchObject({ after: look?.at(-1)?.seq, gaps: [], duplicates: [], error: null });
        expect(on).not.toEqual([]);
        // By their hashes: what an event before the cursor says of a call, a reader behind it does not know.
        const followed = [...(look ?? []), ...(on ?? [])];
        expect(whole?.slice(0, followed.length)).toEqual(followed);
      });

      it("finds the same messages in both of the harness's readings", () => {
        const read = ofType(trace(condition).records, "snapshot.transcript").filter(
          ({ when }) => when === "collect",
        );
        expect(read.map(({ via }) => via)).toEqual(["history", "messages"]);
        expect(read[1]?.messages).toEqual(read[0]?.messages);
        expect(read[0]?.messages[0]?.hash).toMatch(/^[0-9a-f]{16}$/);
      });

      it("records what the model was shown of the call that was lost", () => {
        const requested = ofType(trace(condition).records, "model.requested");
        expect(requested.flatMap(({ results }) => results)[0]).toMatchObject({
          outcome: "error",
          text: expect.stringMatching(/interrupted/i),
        });
      });

      it("does not touch the object while it is quiet", () => {
        const { records } = trace(condition);
        const from = ofType(records, "quiet.started")[0]?.seq ?? 0;
        const to = ofType(records, "quiet.ended")[0]?.seq ?? 0;
        const meanwhile = records.filter(({ seq }) => seq > from && seq < to);
        // What is read from copied files touches nothing, and neither does the note of which process the object lives in.
        const touches = meanwhile.filter(
          (record) =>
            record.type !== "reading.requested" &&
            record.type !== "process.started" &&
            !("how" in record && record.how === "offline"),
        );
        expect(touches.filter(({ source }) => source === "controller" || source === "cli")).toEqual([]);
        expect(meanwhile.map(({ type }) => type)).toContain("subject.activated");
      });
    });
  }

  it("proves that the killed process died: another isolate answers, and the operating system reported SIGKILL", () => {
    const { records } = trace("opencode/after-commit/kill/append/reissue");
    expect(ofType(records, "reset.performed")[0]?.process).toMatchObject({
      signal: "SIGKILL",
      exitCode: null,
    });
    const [before, after] = ofType(records, "subject.activated");
    expect(after?.isolate).not.toBe(before?.isolate);
  });

  it("keeps the isolate over ctx.abort(), so that abort and kill can be told apart in the trace", () => {
    const [before, after] = ofType(
      trace("opencode/after-commit/abort/append/reissue").records,
      "subject.activated",
    );
    expect(after?.isolate).toBe(before?.isolate);
    expect(after?.activation).not.toBe(before?.activation);
  });

  it("convicts the canary that runs its tool again without asking the model", () => {
    const verdict = judge(trace("canary-replay/after-commit/abort/append/reissue"));
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(verdict.operations).toMatchObject([{ effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "runtime-replay" }]);
  });
});
