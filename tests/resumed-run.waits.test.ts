/**
 * A run that is interrupted and finished later, by the command line as a user would: what ended by itself stays byte
 * for byte, what was cut off is run again, and the whole is judged as one run.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RunResult } from "../scripts/present/json-result.ts";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { kit, startKit } from "./support/kit.ts";

let traces: string;
beforeAll(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterAll(() => rm(traces, { recursive: true, force: true }));

it("finishes what Ctrl-C cut off and touches nothing that was finished", { timeout: 180_000 }, async () => {
  const folder = join(traces, "r1");
  const trace = (trial: string) => join(folder, `${trial}.jsonl`);
  const [ended, cutOff, neverStarted] = ["r1-001", "r1-002", "r1-003"] as const;
  // One after the other. A trial waits 20 s for its canary, most of it while settling, so progress always tells of it.
  const running = startKit([
    ...["run", "recovery", "--host", "stand-in", "--only", "subject=opencode,point=none", "--repeats", "2"],
    ...["--concurrency", "1", "--run-id", "r1", "--traces", traces],
  ]);
  while (!existsSync(trace(ended))) {
    expect(running.child.exitCode).toBeNull();
    await delay(100);
  }
  await running.says("1/4 ended · 1 running (settle 1)");
  running.child.kill("SIGINT");
  const interrupted = await running.ended;
  expect(interrupted.code).toBe(130);
  expect(interrupted.stdout.trimEnd()).toMatch(/ · finish it: npm run kit -- run --resume \S+\/r1$/);
  expect((await readdir(folder)).toSorted()).toEqual([
    `${ended}.jsonl`,
    `${cutOff}.jsonl`,
    "run.json",
    "verdicts.jsonl",
    "workers.log",
  ]);
  const before = { ended: await readFile(trace(ended)), cutOff: await readFile(trace(cutOff)) };

  // All that is left at once.
  const resumed = await kit(...["run", "--resume", "r1", "--traces", traces, "--json", "--concurrency", "3"]);

  expect(resumed.stderr).toContain("run r1 resumed · 1 of 4 trials are there, 3 to run");
  expect(resumed.code).toBe(0);
  const result = RunResult.parse(JSON.parse(resumed.stdout));
  expect(result.missing).toEqual([]);
  expect(result.trials.map(({ trial, outcome }) => [trial, outcome])).toEqual(
    [ended, cutOff, neverStarted, "r1-004"].map((trial) => [trial, "as-expected"]),
  );
  for (const { verdict } of result.trials) expect(verdict.validity.value).toBe("valid");
  expect(await readFile(trace(ended))).toEqual(before.ended);
  expect(await readFile(join(folder, "cancelled", `${cutOff}.jsonl`))).toEqual(before.cutOff);
  expect((await readTrace(trace(cutOff))).header?.environment.commandLine).toEqual([
    ...["recovery-kit", "run", "--resume", "r1", "--json", "--concurrency", "3"],
  ]);

  const other = await kit("run", "exhaustion", "--resume", folder);
  expect(other.stderr).toContain("run r1 is of experiment 'recovery', not 'exhaustion'");
  expect(other.code).toBe(2);
  const again = await kit("run", "--resume", folder);
  // Nothing is left, and nothing is started.
  expect(again.stderr).toContain("4 of 4 trials are there, 0 to run");
  expect(again.stdout).toContain("interrupted and resumed 1 time\n");
  expect(again.stderr).not.toContain("bundling");
  expect(again.code).toBe(0);
});

it.each([
  [["--resume", "r9"], "is the folder of a run"],
  [["--resume", "r1", "--seed", "3"], "'--resume <run>' cannot be used with option '--seed <n>'"],
])("refuses %j in one sentence", async (args, sentence) => {
  const { code, stdout, stderr } = await kit("run", ...args, "--traces", traces);
  expect(stderr).toContain(sentence);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stdout).toBe("");
  expect(code).toBe(2);
});
