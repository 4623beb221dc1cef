/**
 * The command line as a process: that what it prints is out and its exit code is the process's, that an old Node is turned
 * away, and how a run is stopped. What a command does with its arguments is in cli.test.ts.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { canRunKit } from "../scripts/node-version.mjs";
import { RunResult } from "../scripts/present/json-result.ts";
import { readTrace } from "../scripts/stored/read-trace.ts";
import {
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  storeRun,
} from "../scripts/stored/testing/stored-trials.ts";
import { Verdict } from "../src/reconcile/verdict.ts";
import { kit as obeyed } from "./support/in-process.ts";
import { descendantsOf, isAlive, kit, startKit } from "./support/kit.ts";

/** What `npm test` loads first. */
const GUARD = "scripts/turn-away-old-node.mjs";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-cli-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

// A slow machine starts a command line in 10 s.
describe("a process", { timeout: 120_000 }, () => {
  it.each([
    ["all is as expected", [duplicateTrial()], 0],
    ["a verdict differs", [duplicateTrial({ expect: HARMLESS })], 1],
    ["a trial is invalid", [duplicateTrial(), invalidTrial({ trial: "run-1-t2" })], 3],
  ] as const)(
    "prints what the command prints and ends with its code, where %s",
    async (_case, trials, code) => {
      const folder = join(dir, `ends-with-${code}`);
      await storeRun(folder, [...trials]);
      const ended = await kit("judge", folder);
      expect(ended).toEqual(await obeyed("judge", folder));
      expect(ended.code).toBe(code);
    },
  );

  it("ends with 2 and one sentence on stderr where the arguments are no good", async () => {
    const ended = await kit("run", "--quiet-msx", "3");
    expect(ended).toEqual(await obeyed("run", "--quiet-msx", "3"));
    expect(ended).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^recovery-kit: [^\n]+\n$/),
    });
  });

  it("prints the help of the command line", async () => {
    const ended = await kit("--help");
    expect(ended).toEqual(await obeyed("--help"));
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Usage: recovery-kit") });
  });

  it("has written a long answer to a pipe before it ends", async () => {
    const folder = join(dir, "long");
    const trials = Array.from({ length: 40 }, (_, index) => harmlessTrial({ trial: `run-1-t${index + 1}` }));
    await storeRun(folder, trials);
    const { code, stdout } = await kit("judge", folder, "--json");
    // More than a pipe holds.
    expect(stdout.length).toBeGreaterThan(65_536);
    expect(RunResult.parse(JSON.parse(stdout)).trials).toHaveLength(trials.length);
    expect(code).toBe(0);
  });
});

describe("a Node that is too old", () => {
  const old = (process.env.PATH ?? "")
    .split(":")
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find(
      (path) =>
        existsSync(path) &&
        !canRunKit(spawnSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.trim()),
    );

  it.skipIf(old === undefined)("is told so in one sentence, where the machine has one", async () => {
    const { code, stdout, stderr } = await startKit(["run"], { node: old }).ended;
    expect(stderr).toMatch(/^recovery-kit needs Node 22\.18 or newer and this is [\d.]+; .*\n$/);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it.skipIf(old === undefined)("is told what to do before anything is installed", async () => {
    const checkout = join(dir, "not-installed");
    for (const file of ["package.json", "scripts/recovery-kit.mjs", "scripts/node-version.mjs", GUARD])
      await cp(join(REPOSITORY, file), join(checkout, file));
    await cp(join(REPOSITORY, "tests/side-by-side.ts"), join(checkout, "tests/side-by-side.ts"));
    const guarded = ["--import", `./${GUARD}`, "tests/side-by-side.ts"];
    for (const args of [["scripts/recovery-kit.mjs", "doctor"], guarded]) {
      const { status, stderr } = spawnSync(old ?? "", args, { cwd: checkout, encoding: "utf8" });
      expect(stderr).toMatch(
        /^recovery-kit needs Node [^\n]*; (run 'npm ci|put Node 24 on the PATH)[^\n]*\n$/,
      );
      expect(status).toBe(2);
    }
  });
});

describe("Ctrl-C", () => {
  it.skipIf(!existsSync("/proc"))(
    "exports what was recorded, judges it as invalid and leaves no process behind",
    async () => {
      const traces = join(dir, "interrupted");
      const args = [
        "run",
        "recovery",
        "--only",
        "subject=canary-replay",
        "--run-id",
        "r1",
        "--traces",
        traces,
      ];
      const running = startKit(args);
      await running.says("quiet 1");
      const children = descendantsOf(running.child.pid ?? 0);
      expect(children.length).toBeGreaterThanOrEqual(2);
      running.child.kill("SIGINT");
      const { code, stdout, stderr } = await running.ended;
      expect(stderr).toContain("Stopping: exporting what was recorded.");
      expect(stdout).toMatch(/ · finish it: npm run kit -- run --resume \S+\n$/);
      expect(stdout).toContain("Interrupted: what was recorded was exported and judged (exit code 130).");
      expect(code).toBe(130);
      expect(children.filter(isAlive)).toEqual([]);
      expect((await readdir(join(traces, "r1"))).toSorted()).toEqual([
        "r1-001.jsonl",
        "run.json",
        "verdicts.jsonl",
        "workers.log",
      ]);
      const { records, problems } = await readTrace(join(traces, "r1", "r1-001.jsonl"));
      expect(problems).toEqual([]);
      expect(records.at(-1)).toMatchObject({ type: "trial.ended", reason: "cancelled" });
      const [verdict = ""] = (await readFile(join(traces, "r1", "verdicts.jsonl"), "utf8")).split("\n");
      expect(Verdict.parse(JSON.parse(verdict)).validity.reasons.map(({ code: reason }) => reason)).toContain(
        "cancelled",
      );
    },
    90_000,
  );
});
