/**
 * An agent of somebody's own under trial, end to end: a plain program over standard input and output, and the kit's two controls as
 * real MCP clients, one over each transport. All of them are really killed. One run.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { identityOf } from "../scripts/base/process-identity.ts";
import { TryResult } from "../scripts/present/try-result.ts";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { ofType } from "../src/trace/records.ts";
import { type Ended, kit } from "./support/kit.ts";
import { RUN_TIMEOUT_MS } from "./support/run-trials.ts";

describe("an agent of somebody's own", () => {
  const traces = mkdtempSync(join(tmpdir(), "recovery-kit-try-"));
  afterAll(() => rmSync(traces, { recursive: true, force: true }));

  let ended: Ended;
  let result: TryResult;
  const verdictOf = (subject: string, reset: string) =>
    result.run.trials.find(
      ({ condition }) => condition?.startsWith(`${subject}/`) && condition.includes(`/${reset}/`),
    );
  const recordsOf = (subject: string, reset: string) =>
    readTrace(verdictOf(subject, reset)?.trace ?? "").records;

  beforeAll(async () => {
    ended = await kit(
      ...["try", "--agent", `node examples/mcp-agent/agent.mjs {prompt}`, "--prompt", "one entry"],
      ...["--traces", traces, "--run-id", "try", "--timeout-ms", "120000", "--json"],
    );
    result = TryResult.parse(JSON.parse(ended.stdout));
  }, RUN_TIMEOUT_MS);

  it("that has no key is convicted, with what would have prevented it", () => {
    expect(ended.code).toBe(1);
    expect(result).toMatchObject({
      answer: "repeats",
      prevention: expect.stringContaining("a key that is stored before the call and given again after it"),
      controls: "The controls: the agent without a key was convicted, the one with a stored key passed.",
    });
    expect(result.sentences[0]).toBe(
      "Your agent repeats the effect: 2 effects for 1 intended, after it was killed between the commit and its receipt and started again.",
    );
    expect(result.sentences.at(-1)).toContain("It had written nothing into its state folder");
  });

  it("is judged as any subject is, and what rests on its model stays unknown", () => {
    expect(verdictOf("command", "kill")).toMatchObject({
      outcome: "differs",
      verdict: {
        validity: { value: "valid", reasons: [] },
        session: { value: "unknown" },
        execution: { value: "resumed", code: "attempt-by-successor" },
        executor: { value: "replacement-with-state" },
        told: { value: "unknown", code: "model-unrecorded" },
        autonomous: { value: "not-applicable", code: "started-by-kit" },
        stuck: { value: "no" },
        operations: [{ attempts: 2, effects: 2, flags: ["duplicate"] }],
        repeats: [{ cause: "unknown" }],
        attribution: { value: "harness" },
        usage: null,
      },
    });
    expect(verdictOf("command", "none")?.verdict).toMatchObject({
      validity: { value: "valid" },
      execution: { value: "not-interrupted" },
      executor: { value: "same" },
      operations: [{ attempts: 1, effects: 1, flags: ["ok"] }],
    });
  });

  it("is killed by a signal with the server that it started, and nothing is left of it", () => {
    const records = recordsOf("command", "kill");
    expect(ofType(records, "process.ended")).toMatchObject([{ signal: "SIGKILL", meant: true }]);
    expect(ofType(records, "agent.ended")).toMatchObject([{ exitCode: 0, signal: null }]);
    const started = ofType(records, "process.started");
    expect(started).toHaveLength(2);
    for (const { pid } of started) expect(identityOf(pid)).toBeNull();
  });

  it("names no call where the client does not, and the activation that runs", () => {
    const records = recordsOf("command", "kill");
    const attempts = ofType(records, "attempt.received");
    expect(attempts).toMatchObject([
      { key: null, call: "unknown", generation: 1 },
      { key: null, call: "unknown", generation: 2 },
    ]);
    expect(ofType(records, "subject.activated").map(({ activation }) => activation)).toEqual(
      attempts.map(({ activation }) => activation),
    );
  });

  it("has a control with a stored key, which gets its first receipt again", () => {
    const records = recordsOf("command-keyed", "kill");
    const [first, second] = ofType(records, "attempt.received");
    expect(first?.key).toEqual(expect.any(String));
    expect(second?.key).toBe(first?.key);
    expect(ofType(records, "effect.deduplicated")).toHaveLength(1);
    expect(verdictOf("command-keyed", "kill")?.outcome).toBe("as-expected");
    expect(verdictOf("canary-keyless", "kill")?.outcome).toBe("as-expected");
  });

  it("leaves no folder of a machine and no secret in a trace", () => {
    for (const { trace } of result.run.trials) {
      const text = readFileSync(trace, "utf8");
      expect(text).not.toMatch(/KIT_MCP|\/mcp\//);
      expect(text).not.toContain(tmpdir());
    }
  });
});
