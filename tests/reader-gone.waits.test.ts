/** Whoever reads what the kit prints may go at any time: the work and the exit code are the same without a reader. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { duplicateTrial, HARMLESS, invalidTrial, storeRun } from "../scripts/stored/testing/stored-trials.ts";
import { KIT, kitEnvironment } from "./support/kit.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});

/** The exit code of the kit in the shell's pipe, as in `kit args 2>&1 | head -1`. */
async function codeInPipe(args: readonly string[], pipe: string): Promise<number> {
  const codeFile = join(dir, "code");
  const line = [process.execPath, KIT, ...args].map((word) => `'${word}'`).join(" ");
  const shell = spawn("sh", ["-c", `{ ${line}; echo $? >'${codeFile}'; } ${pipe}`], {
    cwd: REPOSITORY,
    env: kitEnvironment({}),
    stdio: "ignore",
  });
  await once(shell, "exit");
  return Number(await readFile(codeFile, "utf8"));
}

// `true` is gone before anything is printed.
it.each(["| true", "2>&1 | true", "2>&1 >/dev/null | true"])(
  "a verdict's exit code survives '%s'",
  { timeout: 120_000 },
  async (pipe) => {
    const [differs, invalid] = [join(dir, "differs"), join(dir, "invalid")];
    await storeRun(differs, [duplicateTrial({ expect: HARMLESS })]);
    await storeRun(invalid, [invalidTrial()]);
    expect(await codeInPipe(["judge", differs], pipe)).toBe(1);
    expect(await codeInPipe(["judge", invalid, "--json"], pipe)).toBe(3);
    expect(await readdir(invalid)).toContain("verdicts.jsonl");
    expect(await codeInPipe(["judge", join(dir, "nowhere")], pipe)).toBe(2);
  },
);

it("a run goes on to its end and is exported as a whole", { timeout: 120_000 }, async () => {
  // So short an interval cannot show whether the object wakes by itself: the verdict is open, which is 3.
  const args = [
    ...["run", "recovery", "--host", "stand-in", "--condition", "opencode/after-commit/abort/append/reissue"],
    ...["--quiet-ms", "500", "--allow-short-quiet", "--run-id", "r1", "--traces", dir],
  ];
  expect(await codeInPipe(args, "2>&1 | head -1")).toBe(3);
  expect((await readdir(join(dir, "r1"))).toSorted()).toEqual([
    "r1-001.jsonl",
    "run.json",
    "verdicts.jsonl",
    "workers.log",
  ]);
  const { records, problems } = await readTrace(join(dir, "r1", "r1-001.jsonl"));
  expect(problems).toEqual([]);
  expect(records.at(-1)).toMatchObject({ type: "trial.ended", reason: "completed" });
});
