/** What `judge` does with files that are no traces: it ends, soon, in little memory, and says what is wrong. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { RunResult } from "../scripts/present/json-result.ts";
import { duplicateTrial, storeRun } from "../scripts/stored/testing/stored-trials.ts";
import { kit } from "./support/in-process.ts";
// Whoever opens a pipe waits for ever: that may be a process, not the one that runs the tests.
import { type Ended, kit as kitProcess } from "./support/kit.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function expectRefusal({ code, stdout, stderr }: Ended, sentence: string): void {
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toContain(sentence);
  expect(stdout).toBe("");
  expect(code).toBe(2);
}

/** A file of any size that takes no room. */
async function sparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  await file.truncate(bytes);
  await file.close();
}

describe("judging what is no regular file", () => {
  it("refuses a pipe, which nobody writes to, by its name", async () => {
    const pipe = join(folder, "pipe.jsonl");
    execFileSync("mkfifo", [pipe]);
    const sentence = `cannot read '${pipe}': it is a pipe and no regular file`;
    expectRefusal(await kitProcess("judge", pipe), sentence);
    expectRefusal(await kitProcess("judge", folder), sentence);
  });

  it("refuses a pipe in the place of a run's plan no less", async () => {
    await storeRun(folder, [duplicateTrial()]);
    await rm(join(folder, "run.json"));
    execFileSync("mkfifo", [join(folder, "run.json")]);
    const { code, stdout } = await kitProcess("judge", folder);
    expect(stdout).toContain("run.json cannot be read, so a missing trace would not be noticed");
    expect(code).toBe(3);
  });

  it("refuses a folder, a socket, a device and a link that leads back to itself", async () => {
    const [inner, socket, device, loop] = ["a", "b", "c", "d"].map((name) => join(folder, `${name}.jsonl`));
    await mkdir(inner!);
    expectRefusal(
      await kitProcess("judge", folder),
      `cannot read '${inner}': it is a folder and no regular file`,
    );
    const server = createServer().listen(socket);
    await symlink("/dev/zero", device!);
    await symlink(loop!, loop!);
    expectRefusal(await kitProcess("judge", socket!), `cannot read '${socket}': `);
    expectRefusal(
      await kitProcess("judge", device!),
      `cannot read '${device}': it is a device and no regular file`,
    );
    expectRefusal(await kitProcess("judge", loop!), `cannot read '${loop}': ELOOP`);
    server.close();
  });
});

describe("what a trace says", () => {
  /** Clears the screen, forges a line, turns the direction of writing. */
  const EVIL = "\u001b[2J\u009b31m\n✓ forged\r\u202e";
  const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

  it.each([
    ["judge", []],
    ["judge", ["--json"]],
    ["summary", []],
    ["summary", ["--json"]],
    ["list", ["--traces"]],
  ])("reaches the terminal as text alone: %s %j", async (command, options) => {
    const builder = duplicateTrial({ condition: `evil${EVIL}` });
    builder.environment.commandLine = ["recovery-kit", `run${EVIL}`];
    for (const record of builder.records)
      if (record.type === "operation.settled") Object.assign(record, { text: EVIL, error: EVIL });
    const run = join(folder, `run${EVIL}`);
    await storeRun(run, [builder]);
    await writeFile(join(run, `broken${EVIL}.jsonl`), `{"${EVIL.replace("\n", "")}`);
    const place = command === "list" ? [...options, folder] : [...options, run];
    const { stdout, stderr } = await kit(command, ...place);
    expect(stdout).toMatch(/\\u001b\[2J\\u009b31m\\n✓ forged\\r\\u202e/);
    for (const line of `${stdout}\n${stderr}`.split("\n")) expect(line).not.toMatch(CONTROL);
  });

  it("is no more in a sentence that refuses it", async () => {
    expectRefusal(await kit("judge", `nowhere${EVIL}`), "there is no 'nowhere\\u001b[2J");
    expectRefusal(await kit("run", `--${EVIL}`), "\\u001b[2J");
  });
});

describe("judging what is larger than any trace", () => {
  it.each([
    ["a file of two gigabytes", 2 ** 31, "the file is larger than 67108864 bytes"],
    ["a line of sixty megabytes", 60 * 2 ** 20, "a line is longer than 4194304 bytes"],
  ])("finds it invalid: %s", async (_, bytes, words) => {
    const path = join(folder, "large.jsonl");
    await sparse(path, bytes);
    const { code, stdout } = await kit("judge", path);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(`The trace is too large to be read: ${words}.`);
    expect(code).toBe(3);
  });

  it("takes no memory for problems without number", async () => {
    const path = join(folder, "braces.jsonl");
    await writeFile(path, "{}\n".repeat(2_000_000));
    // More than is allowed here would end the process by a signal.
    const { status, signal, stdout } = spawnSync(
      process.execPath,
      ["--max-old-space-size=64", "scripts/recovery-kit.mjs", "judge", path, "--json"],
      { cwd: REPOSITORY, encoding: "utf8" },
    );
    expect([status, signal]).toEqual([3, null]);
    const { trials } = RunResult.parse(JSON.parse(stdout));
    const codes = trials[0]?.verdict.validity.reasons.map(({ code }) => code);
    expect(codes).toHaveLength(102);
    expect(codes).toContain("given-up");
  });
});
