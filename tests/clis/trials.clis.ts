/**
 * Real trials with the real agent CLIs, end to end: Codex and Claude Code as the executor of a container, and the exec server of
 * Codex behind a client that rebinds. Those of one experiment share a run.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { AGENT_CLIS } from "../../scripts/local/container/agent-clis.ts";
import { judge, matchExpectation } from "../../src/reconcile/index.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { ofType } from "../../src/trace/records.ts";
import { runTrials } from "../support/run-trials.ts";

const CLIS = ["codex", "claude-code"] as const;
const LOST = CLIS.map((cli) => `${cli}/after-commit/kill/append/reissue/target=executor`);
const OBJECT_LOST = CLIS.map((cli) => `${cli}/after-commit/abort/append/reissue`);
const EXEC_SERVERS = [
  "codex-exec-server/after-answer/kill/append/reissue/target=executor/callers=2",
  "codex-exec-server-bare/after-answer/kill/append/reissue/target=executor/callers=2",
  "codex-exec-server-memory/after-commit/abort/append/reissue",
  "codex-exec-server/after-commit/abort/append/reissue",
];

const traces = new Map<string, ParsedTrace>();
const traceOf = (condition: string): ParsedTrace => {
  const trace = traces.get(condition);
  if (trace === undefined) throw new Error(`no trace of ${condition}`);
  return trace;
};

beforeAll(async () => {
  for (const [experiment, conditions] of [
    ["continuity", [...LOST, ...OBJECT_LOST]],
    ["rebinding", EXEC_SERVERS],
  ] as const) {
    const traceIn = await runTrials(experiment, conditions);
    for (const condition of conditions) traces.set(condition, traceIn(condition));
  }
});

describe.each([...LOST, ...OBJECT_LOST, ...EXEC_SERVERS])("%s", (condition) => {
  it("leaves a whole trace of a valid trial, with the verdict that is expected", () => {
    const trace = traceOf(condition);
    const verdict = judge(trace);
    expect(trace.problems).toEqual([]);
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(matchExpectation(verdict, trace.header?.spec.expect ?? {}).differences).toEqual([]);
  });
});

describe.each(CLIS)("%s", (cli) => {
  it("is the release that is pinned", () => {
    const { name, version } = AGENT_CLIS[cli];
    const { packages } = traceOf(`${cli}/after-commit/abort/append/reissue`).header?.environment ?? {};
    expect(packages?.[name]).toBe(version);
  });

  it("says in its own words why a session takes no work whose files went with its executor", () => {
    const { records } = traceOf(`${cli}/after-commit/kill/append/reissue/target=executor`);
    const [probe] = ofType(records, "probe.settled");
    expect(probe).toMatchObject({ status: "unanswered" });
    expect(probe?.reason).toMatch(
      cli === "codex" ? /no rollout found for thread id/ : /No conversation found with session ID/,
    );
  });
});
