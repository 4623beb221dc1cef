/** Several commands at once on one run: one of them works in its folder, the others are told which. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { duplicateTrial, storeRun } from "../scripts/stored/testing/stored-trials.ts";
import { kit, startKit } from "./support/kit.ts";

let traces: string;
beforeEach(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  onTestFinished(() => rm(traces, { recursive: true, force: true }));
});

const run = (...more: string[]) =>
  startKit([
    ...["run", "recovery", "--host", "stand-in", "--condition", "opencode/none/none/append/reissue"],
    ...["--traces", traces, ...more],
  ]);

describe("while a run is carried out", { timeout: 120_000 }, () => {
  it("another one in its folder, and its resumption, are refused with the process that works there", async () => {
    const first = run("--run-id", "r1");
    await first.says("1 running");
    // However long the others take to start, it is not at its end before them.
    first.child.kill("SIGSTOP");
    const [second, resumed, judged] = await Promise.all([
      run("--run-id", "r1").ended,
      kit("run", "--resume", "r1", "--traces", traces),
      kit("judge", join(traces, "r1")),
    ]);
    const owner = `recovery-kit: process ${first.child.pid} has been carrying out the run in '${traces}/r1' since 20`;
    expect(second.stderr).toContain(owner);
    expect(second.stderr.trimEnd()).toMatch(/since \S+Z; give another --run-id$/);
    expect(resumed.stderr).toContain(owner);
    expect(resumed.stderr.trimEnd()).toMatch(
      /since \S+Z; wait for its end, then resume it if it is not whole$/,
    );
    for (const refused of [second, resumed]) {
      expect(refused.stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(refused.stdout).toBe("");
      expect(refused.code).toBe(2);
    }
    // The judge only reads, and says that what is not there yet may still come.
    expect(judged.stderr.trimEnd()).toBe(
      `process ${first.child.pid} has been carrying out the run in '${traces}/r1' since ` +
        `${/since (\S+Z)/.exec(second.stderr)?.[1]}: it is live, and what is there so far is judged and not kept`,
    );
    expect(judged.stdout).toContain("Planned trials without a trace\n  r1-001");
    expect(judged.code).toBe(3);
    expect(await readdir(join(traces, "r1"))).not.toContain("verdicts.jsonl");
    first.child.kill("SIGKILL");
    await first.ended;
    expect(await readdir(join(traces, "r1"))).toContain("run.lock");

    const rest = await kit("run", "--resume", "r1", "--traces", traces);
    expect(rest.stderr).toContain("run r1 resumed · 0 of 1 trials are there, 1 to run");
    expect(rest.code).toBe(0);
    expect((await readdir(join(traces, "r1"))).toSorted()).toEqual([
      "r1-001.jsonl",
      "run.json",
      "verdicts.jsonl",
      "workers.log",
    ]);
  });

  it("others that are started without a name in the same second get names of their own", async () => {
    const running = Array.from({ length: 4 }, () => run());
    const ended = Promise.all(running.map((one) => one.ended));
    // Each stands still as soon as it has its name, so that none records anything while another takes longer to start.
    await Promise.all(running.map((one) => one.says("starting").then(() => one.child.kill("SIGSTOP"))));
    for (const one of running) for (const signal of ["SIGINT", "SIGCONT"] as const) one.child.kill(signal);
    const names = (await ended).map(({ stderr }) => /^run (\S+) /m.exec(stderr)?.[1]);
    expect(new Set(names).size).toBe(4);
    for (const { code } of await ended) expect(code).toBe(130);
    // None of them had recorded anything.
    expect(await readdir(traces)).toEqual([]);
  });
});

it("many that judge one run at once all keep its verdicts", { timeout: 120_000 }, async () => {
  const folder = join(traces, "r1");
  await storeRun(folder, [duplicateTrial(), duplicateTrial({ trial: "run-1-t2" })]);
  await kit("judge", folder);
  const before = await readFile(join(folder, "verdicts.jsonl"));
  const many = Array.from({ length: 24 });
  const all = await Promise.all(many.map(() => kit("judge", folder)));
  expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(many.map(() => [0, ""]));
  expect(await readFile(join(folder, "verdicts.jsonl"))).toEqual(before);
  expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
});
