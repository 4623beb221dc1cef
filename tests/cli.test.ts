/**
 * The command line as a user meets it: exit codes, one sentence for each mistake, and verdicts that are recomputed to
 * the byte. Traces are built. What only a process of its own shows is in cli-process.waits.test.ts.
 */

import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { conditionsOf } from "../experiments/conditions.ts";
import { experimentNames, loadExperiment } from "../experiments/registry.ts";
import { COMMANDS } from "../scripts/cli.ts";
import { RunResult } from "../scripts/present/json-result.ts";
import {
  DUPLICATE,
  duplicateTrial,
  HARMLESS,
  harmlessTrial,
  invalidTrial,
  storeRun,
  traceText,
} from "../scripts/stored/testing/stored-trials.ts";
import { Verdict } from "../src/reconcile/verdict.ts";
import { STAND_IN_CAVEAT } from "../src/summarize/caveat.ts";
import type { TrialSpec } from "../src/trace/spec.ts";
import { kit } from "./support/in-process.ts";

const declared = conditionsOf(loadExperiment("recovery"));

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-cli-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("a mistake in the arguments", () => {
  it.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["run", "--frob"], "unknown option '--frob'"],
    [["run", "--quiet-msx", "3"], "(Did you mean --quiet-ms?)"],
    [["run", "recvery"], `Allowed choices are ${experimentNames().join(", ")}.`],
    [["run", "recovery", "again"], "too many arguments"],
    [
      ["run", "--only", "policy=reissu"],
      "no condition of this experiment has policy 'reissu'; it has: reissue,",
    ],
    [["run", "--only", "polcy=reissue"], "unknown factor 'polcy'; known: subject, point"],
    [["run", "--condition", "opencode/nowhere"], "this experiment has no 'opencode/nowhere'"],
    [["run", "--condition", "a", "--quick"], "'--condition <name>' cannot be used with option '--quick'"],
    [["run", "--condition", "a", "--only", "b=c"], "cannot be used with option '--only"],
    [["run", "--repeats", "0"], "Give a whole number from 1 to 1000."],
    [["run", "--repeats", "two"], "argument 'two' is invalid"],
    [["run", "--quiet-ms", "1.5"], "Give a whole number"],
    [["run", "--seed", "-1"], "Give a whole number"],
    [["run", "--port", "80"], "Give a whole number from 1024"],
    [["run", "--quiet-ms"], "argument missing"],
    [["run", "--quiet-ms", "100", "--dry-run"], "which looks after its work every 30000 ms"],
    [["run", "--run-id", "My Run"], "use 1-60 of a-z"],
    [["run", "--host", "real"], "Allowed choices are sdk, stand-in, auto."],
    [["judge"], "missing required argument 'path'"],
    [["judge", "a", "b", "--out", "c"], "--out takes the verdicts of one path"],
    [["list", "--all"], "unknown option '--all'"],
    [["contract", "--fast"], "unknown option '--fast'"],
    [["mutants", "logSeqGap"], "too many arguments for 'mutants'"],
    [["oracle", "--break", "nothing"], "Allowed choices are reexecuteToolOnBoot,"],
    [["golden", "acept"], "too many arguments for 'check'. Expected 0 arguments but got 1: acept."],
    [["golden", "take"], "missing required argument 'run'"],
    [["bench", "--records", "0"], "Give a whole number from 1"],
    [["bench", "--run", "nowhere"], "there is no 'nowhere'"],
    [["schemas", "verdict"], "too many arguments for 'schemas'"],
    [["host-sdk", "--force"], "unknown option '--force'"],
  ])("%j is one clear sentence and exit code 2", async (args, sentence) => {
    const { code, stdout, stderr } = await kit(...args);
    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("is answered with the help when no command is given", async () => {
    const { code, stderr } = await kit();
    expect(stderr).toContain("Usage: recovery-kit");
    expect(code).toBe(2);
  });
});

describe("help", () => {
  it("names the commands, the experiments and the exit codes", async () => {
    const [main, run] = await Promise.all([kit("--help"), kit("run", "--help")]);
    expect([main.code, run.code]).toEqual([0, 0]);
    for (const command of ["run", "judge", "list", "doctor", "contract", "golden", "bench"])
      expect(main.stdout).toContain(`  ${command} `);
    expect(main.stdout).toContain("Exit codes: 0");
    for (const name of experimentNames()) expect(run.stdout).toContain(`"${name}"`);
  });
});

describe("a command", () => {
  it.each(Object.values(COMMANDS).flatMap(Object.keys))("is loaded by its name: %s", async (name) => {
    const { code, stdout, stderr } = await kit(name, "--help");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: recovery-kit ${name}[ \\n]`));
    expect((await kit("--help")).stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  });
});

describe("a dry run", () => {
  it("prints conditions, trials, processes and an estimate, and starts nothing", async () => {
    const traces = join(dir, "dry");
    const { code, stdout, stderr } = await kit("run", "--dry-run", "--repeats", "2", "--traces", traces);
    expect(code).toBe(0);
    // A canary is to be convicted once; repeats are for rates.
    const times = declared.map(({ canary }) => (canary ? 1 : 2));
    const trials = times.reduce((sum, one) => sum + one, 0);
    expect(stdout).toContain(`${declared.length} conditions, ${trials} trials`);
    declared.forEach(({ name }, index) => {
      expect(stdout).toContain(`  ${name}  ×${times[index]}`);
    });
    expect(stdout).toMatch(/^ {2}kill-1: \d+ trials, at most /m);
    expect(stdout).not.toContain("not the whole matrix");
    expect(stdout).toMatch(/^Storage: (in memory, .+|on a disk) \(--storage\)\.$/m);
    expect(stdout).toMatch(/Estimated duration: \d+ (s|min)\./);
    expect(stderr).toBe("");
    expect(existsSync(traces)).toBe(false);
  });

  it("says before the run where storage would lie, or what stands in the way of it", async () => {
    const { code, stdout, stderr } = await kit("run", "--dry-run", "--storage", "disk");
    // Where the system's temporary folder lies in memory, there is no disk to be had.
    if (code === 0) expect(stdout).toMatch(/^Storage: on a disk/m);
    else expect([code, stderr]).toEqual([2, expect.stringContaining("set TMPDIR to a folder on a disk")]);
  });

  it("prints the whole plan as JSON, the same for the same seed", async () => {
    const args = ["run", "--dry-run", "--json", "--seed", "7", "--run-id", "r", "--only", "reset=none"];
    const [first, second] = await Promise.all([kit(...args), kit(...args)]);
    expect(first.stdout).toBe(second.stdout);
    const plan = JSON.parse(first.stdout);
    expect(plan).toMatchObject({ run: "r", seed: 7 });
    const resets = plan.specs.map(({ canary, factors }: TrialSpec) => (canary ? "canary" : factors.reset));
    expect(new Set(resets)).toEqual(new Set(["none", "canary"]));
  });

  it("of a quick run has fewer conditions, and says that it is not the whole matrix", async () => {
    const { code, stdout } = await kit("run", "--dry-run", "--quick");
    const [, kept = ""] =
      /^(\d+) of the experiment's \d+ conditions: not the whole matrix$/m.exec(stdout) ?? [];
    expect(Number(kept)).toBeLessThan(declared.length);
    expect(stdout).toContain(`${kept} conditions, ${kept} trials`);
    expect(code).toBe(0);
  });

  it("of a condition by name has that condition alone", async () => {
    const name = "opencode/after-commit/abort/append/reissue";
    const { stdout } = await kit("run", "--dry-run", "--json", "--condition", name);
    expect(JSON.parse(stdout).specs.map(({ condition }: TrialSpec) => condition)).toEqual([name]);
  });
});

describe("judging stored traces", () => {
  const stored = async (name: string, builders: Parameters<typeof storeRun>[1]) => {
    const folder = join(dir, name);
    await storeRun(folder, builders);
    return folder;
  };
  const canary = { trial: "run-1-t9", condition: "canary-replay/x", canary: true };

  it("gives 0 when all is valid and as expected, and says the host before the table", async () => {
    const folder = await stored("good", [
      duplicateTrial(),
      harmlessTrial({ trial: "run-1-t2" }),
      duplicateTrial(canary),
    ]);
    const { code, stdout, stderr } = await kit("judge", folder);
    expect(stdout.replace(/\s+/g, " ")).toContain(STAND_IN_CAVEAT);
    expect(stdout).toContain("All trials are valid and as expected.");
    expect(stdout.trimEnd().split("\n").at(-1)).toContain(`Traces: ${folder}`);
    expect(stdout).not.toContain("\u001b");
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("gives 1 when a verdict differs from its expectation", async () => {
    const folder = await stored("differs", [duplicateTrial({ expect: HARMLESS })]);
    const { code, stdout } = await kit("judge", folder);
    expect(stdout).toContain("effects: expected 1, found 2");
    expect(code).toBe(1);
  });

  it("gives 3 when a trial is invalid, and the reason", async () => {
    const folder = await stored("invalid", [duplicateTrial(), invalidTrial({ trial: "run-1-t2" })]);
    const { code, stdout } = await kit("judge", folder);
    expect(stdout).toMatch(/Invalid\n {2}run-1-t2 /);
    expect(code).toBe(3);
  });

  it("gives 3 when a canary was not convicted, and says that the run is invalid as a whole", async () => {
    const folder = await stored("acquitted", [
      duplicateTrial(),
      harmlessTrial({ ...canary, expect: DUPLICATE }),
    ]);
    const { code, stdout } = await kit("judge", folder);
    expect(stdout).toContain("The run is invalid as a whole: the canary canary-replay/x was not");
    expect(code).toBe(3);
  });

  it("gives 3 when the trace of a planned trial is gone", async () => {
    const folder = await stored("gone", [duplicateTrial()]);
    const specs = [duplicateTrial().spec, harmlessTrial({ trial: "run-1-t2" }).spec];
    await writeFile(
      join(folder, "run.json"),
      JSON.stringify({ run: "run-1", experiment: "recovery", seed: 1, specs }),
    );
    const { code, stdout } = await kit("judge", folder);
    expect(stdout).toContain("Planned trials without a trace\n  run-1-t2");
    expect(code).toBe(3);
  });

  it("gives 3 when the plan cannot be read, since then a missing trace would not be noticed", async () => {
    const folder = await stored("plan", [duplicateTrial()]);
    await writeFile(join(folder, "run.json"), '{"run":');
    const { code, stdout } = await kit("judge", folder);
    expect(stdout).toContain("run.json cannot be read");
    expect(code).toBe(3);
  });

  it("writes the same bytes every time, sorted by trial, one verdict a line", async () => {
    const folder = await stored("bytes", [
      harmlessTrial({ trial: "run-1-t2" }),
      duplicateTrial({ trial: "run-1-t10" }),
      invalidTrial({ trial: "run-1-t1" }),
    ]);
    await kit("judge", folder);
    const first = await readFile(join(folder, "verdicts.jsonl"));
    await rm(join(folder, "verdicts.jsonl"));
    await kit("judge", folder);
    expect(await readFile(join(folder, "verdicts.jsonl"))).toEqual(first);
    const verdicts = first
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => Verdict.parse(JSON.parse(line)));
    expect(verdicts.map(({ trial }) => trial)).toEqual(["run-1-t1", "run-1-t10", "run-1-t2"]);
  });

  it("prints one JSON object that its schema accepts", async () => {
    const folder = await stored("json", [
      duplicateTrial(),
      harmlessTrial({ trial: "run-1-t2", expect: DUPLICATE }),
    ]);
    const { code, stdout, stderr } = await kit("judge", folder, "--json");
    const result = RunResult.parse(JSON.parse(stdout));
    expect(result).toMatchObject({ run: "run-1", exitCode: 1 });
    expect(result.trials.map(({ outcome }) => outcome)).toEqual(["as-expected", "differs"]);
    expect(stderr).toContain("npm run kit -- run recovery");
    expect(code).toBe(1);
  });

  it("judges one trace without touching the verdicts of its run, and writes them where it is told", async () => {
    const folder = await stored("single", [duplicateTrial(), harmlessTrial({ trial: "run-1-t2" })]);
    const out = join(dir, "single-verdicts.jsonl");
    const { code } = await kit("judge", join(folder, "run-1-t2.jsonl"), "--out", out);
    expect(existsSync(join(folder, "verdicts.jsonl"))).toBe(false);
    expect(Verdict.parse(JSON.parse(await readFile(out, "utf8"))).trial).toBe("run-1-t2");
    expect(code).toBe(0);
  });

  it("notices a trace that stands under another trial's name", async () => {
    const folder = await stored("renamed", [duplicateTrial()]);
    await writeFile(join(folder, "run-1-t2.jsonl"), traceText(duplicateTrial()));
    const { code, stdout } = await kit("judge", folder);
    expect(stdout.replace(/\s+/g, " ")).toContain("counted nowhere");
    expect(stdout.replace(/\s+/g, " ")).toContain("holds the trace of another trial, 'run-1-t1'");
    expect(code).toBe(3);
  });

  describe("that are damaged", () => {
    const text = traceText(duplicateTrial());
    const lines = text.trimEnd().split("\n");
    it.each([
      ["a deleted line", [...lines.slice(0, 9), ...lines.slice(10), ""].join("\n"), "chain breaks"],
      ["a flipped field", text.replace('"generation":2', '"generation":1'), "chain breaks"],
      [
        "swapped lines",
        [...lines.slice(0, 9), lines[10], lines[9], ...lines.slice(11), ""].join("\n"),
        "chain breaks",
      ],
      ["a broken last line", text.slice(0, -40), "cannot be read"],
      ["a missing end", [...lines.slice(0, -1), ""].join("\n"), "does not end where its header says"],
      ["an empty file", "", "no line"],
      ["no JSON at all", "PK\u0003\u0004 not a trace\n", "no readable header"],
    ])(
      "(%s) gives 3 with the reason, never a pass and never a stack trace",
      async (name, damaged, reason) => {
        const folder = join(dir, `damaged-${name.replaceAll(" ", "-")}`);
        await storeRun(folder, [duplicateTrial()]);
        await writeFile(join(folder, "run-1-t1.jsonl"), damaged);
        const { code, stdout, stderr } = await kit("judge", folder);
        expect(stdout.replace(/\s+/g, " ")).toContain(reason);
        expect(stdout).not.toMatch(/All trials are valid|^ +at /m);
        expect(stderr).toBe("");
        expect(code).toBe(3);
        const [verdict = ""] = (await readFile(join(folder, "verdicts.jsonl"), "utf8")).split("\n");
        expect(Verdict.parse(JSON.parse(verdict)).validity.value).toBe("invalid");
      },
    );
  });

  it.each([
    ["a path that is not there", () => join(dir, "nowhere"), "there is no '"],
    ["a folder without traces", () => join(process.cwd(), "src"), "holds no traces"],
    ["a file that is no trace", () => join(process.cwd(), "package.json"), "is not a trace"],
  ])("takes %s for a mistake", async (_name, path, sentence) => {
    const { code, stdout, stderr } = await kit("judge", path());
    expect(stderr).toContain(sentence);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });
});

describe("listing", () => {
  it("shows the experiments with their conditions, and the stored runs", async () => {
    const traces = join(dir, "listed");
    await storeRun(join(traces, "run-1"), [duplicateTrial()]);
    await storeRun(join(traces, "golden", "run-2"), [duplicateTrial(), harmlessTrial({ trial: "run-1-t2" })]);
    const { code, stdout } = await kit("list", "--traces", traces);
    for (const name of experimentNames()) expect(stdout).toContain(`run it: npm run kit -- run ${name}\n`);
    for (const { family, name } of declared)
      expect(stdout).toMatch(new RegExp(`^ {2}${family} \\(\\d+\\)\n(?: {4}.*\n)* {4}${name}$`, "m"));
    expect(stdout).toMatch(/run-1 {2}.*1 traces, not judged/);
    expect(stdout).toMatch(/golden\/run-2 {2}.*2 traces, not judged/);
    expect(code).toBe(0);
    const json = JSON.parse((await kit("list", "--traces", traces, "--json")).stdout);
    expect(json.experiments.map(({ name }: { name: string }) => name)).toEqual(experimentNames());
    expect(json).toMatchObject({ runs: [{ traces: 2 }, { traces: 1 }] });
  });

  it("shows the conditions of one experiment, all of them or those that are selected", async () => {
    const names = async (...args: string[]) =>
      JSON.parse((await kit("list", "recovery", ...args, "--json")).stdout).experiments[0].conditions.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names()).toEqual(declared.map(({ name }) => name));
    const kills = declared.filter(({ name }) => /^opencode\/[^/]*\/kill\//.test(name));
    expect(await names("--condition", "opencode/*/kill/*")).toEqual(kills.map(({ name }) => name));
    expect(await names("--only", "subject=opencode,reset=kill")).toEqual(
      expect.arrayContaining(kills.map(({ name }) => name)),
    );
    const { code, stdout } = await kit("list", "recovery", "--condition", "opencode/none/*");
    expect(stdout.match(/^ {4}.*$/gm)).toEqual([
      "    opencode/none/none/append/reissue",
      "    opencode/none/none/unique/reissue",
    ]);
    expect(code).toBe(0);
  });

  it.each([
    [["list", "nosuch"], "Allowed choices are"],
    [
      ["list", "recovery", "--condition", "opencode/*/nosuch/*"],
      "has no 'opencode/*/nosuch/*'; near it: opencode/",
    ],
    [["list", "--only", "reset=kill"], "select from one experiment"],
  ])("refuses %j", async (args, words) => {
    const { code, stderr } = await kit(...args);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });

  it("says so when nothing is stored", async () => {
    expect((await kit("list", "--traces", join(dir, "none"))).stdout).toContain("No runs are stored");
  });
});

describe("a run under an SDK set", () => {
  it("names the set in every trial, before and after a reset", async () => {
    const args = ["run", "--dry-run", "--json", "--only", "point=after-commit,reset=kill"];
    const { code, stdout } = await kit(...args, "--set", "stand-in-layout-2");
    expect(code).toBe(0);
    const { specs } = z
      .looseObject({ specs: z.array(z.looseObject({ sets: z.unknown() })) })
      .parse(JSON.parse(stdout));
    const sets = { before: "stand-in-layout-2", after: "stand-in-layout-2" };
    for (const spec of specs) expect(spec.sets).toEqual(sets);
    expect((await kit(...args.slice(0, 2), "--set", "stand-in-layout-2")).stdout).toContain(
      "SDK set: stand-in-layout-2",
    );
  });

  it("has to be one that is declared", async () => {
    const { code, stderr } = await kit("run", "--dry-run", "--set", "stand-in-layout-9");
    expect(code).toBe(2);
    expect(stderr).toContain("there is no SDK set 'stand-in-layout-9'");
  });
});

describe("the doctor", () => {
  it("finds this machine fit, names the host and says what to do about the rest", async () => {
    const { code, stdout } = await kit("doctor", "--json");
    const { checks } = JSON.parse(stdout);
    const byName = Object.fromEntries(checks.map((check: { name: string }) => [check.name, check]));
    for (const name of [
      "node",
      "packages",
      "miniflare",
      "workerd",
      "agent CLIs",
      "wrangler configs",
      "ports",
    ])
      expect(byName[name]).toMatchObject({ status: "ok", advice: null });
    expect(byName["opencode host"].found).toMatch(/^a run uses the (SDK|stand-in)/);
    for (const { status, advice } of checks) if (status !== "ok") expect(advice).toMatch(/\w/);
    expect(code).toBe(0);
  });
});

describe("a run that cannot start", () => {
  it("names the port that is in use", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const traces = join(dir, "port");
    const { code, stdout, stderr } = await kit(
      "run",
      "--port",
      String(port),
      "--quiet-ms",
      "0",
      "--allow-short-quiet",
      "--traces",
      traces,
    );
    expect(stderr.trimEnd().split("\n").at(-1)).toContain(`port ${port} on 127.0.0.1 is in use`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("never adds to the folder of another run", async () => {
    await storeRun(join(dir, "used", "r1"), [duplicateTrial()]);
    const { code, stderr } = await kit("run", "--run-id", "r1", "--traces", join(dir, "used"));
    expect(stderr).toContain("there is already a run in");
    expect(code).toBe(2);
  });
});
