/** What becomes of a file when the machine refuses: by real refusals of the real file system. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MachineError } from "./machine-error.ts";
import { writeWhole } from "./whole-file.ts";

const run = promisify(execFile);
/** Only Linux has a device that is always full. */
const NO_FULL_DEVICE = !existsSync("/dev/full");

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "whole-file-"));
  path = join(folder, "file.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The refusal, and what lies in the folder after it. */
async function refusal(content: string | AsyncIterable<string> = "text\n"): Promise<[unknown, string[]]> {
  const error: unknown = await writeWhole(path, content).catch((reason: unknown) => reason);
  return [error, (await readdir(folder)).toSorted()];
}

/** Writes 100,000 bytes in a Node of its own under a limit of the shell's, and prints what came of it. */
async function underLimit(limit: string): Promise<string> {
  const script = `
    const { writeWhole } = await import(${JSON.stringify(join(import.meta.dirname, "whole-file.ts"))});
    const { openSync } = await import("node:fs");
    const open = [];
    if (process.argv[2] === "files") try { for (;;) open.push(openSync("/dev/null", "r")); } catch {}
    await writeWhole(process.argv[1], "x".repeat(100_000)).then(
      () => console.log("written"),
      (error) => console.log(error.name + ": " + error.message),
    );`;
  const kind = limit.includes("-n") ? "files" : "bytes";
  const command = `${limit}; exec "$0" --input-type=module -e "$1" "$2" "$3"`;
  const { stdout } = await run("bash", ["-c", command, process.execPath, script, path, kind]);
  return stdout.trim();
}

describe("a file that is to be whole", () => {
  it("is what was given, in however many parts, and in the place of an older one", async () => {
    async function* parts() {
      yield "one\n";
      yield "two\n";
    }
    await writeFile(path, "old");
    await writeWhole(path, parts());
    expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
    expect(await readdir(folder)).toEqual(["file.jsonl"]);
  });

  it.skipIf(NO_FULL_DEVICE)(
    "does not appear on a full disk, which is said in one sentence with the path and what to do",
    async () => {
      // What is written beside its place goes to the device that is always full.
      await symlink("/dev/full", `${path}.partial`);
      const [error, left] = await refusal();
      expect(error).toBeInstanceOf(MachineError);
      expect(error).toMatchObject({
        code: "ENOSPC",
        message: `cannot write '${path}': no space is left on the disk (ENOSPC); free some`,
      });
      expect(left).toEqual([]);
      expect((await stat("/dev/full")).isCharacterDevice()).toBe(true);
    },
  );

  it("does not appear where the system takes a part of it only", async () => {
    expect(await underLimit("ulimit -f 40")).toMatch(
      /^MachineError: cannot write '.*' *: .* \(EFBIG\); raise the limit/,
    );
    expect(await readdir(folder)).toEqual([]);
    expect(await underLimit("ulimit -f 200")).toBe("written");
    expect((await stat(path)).size).toBe(100_000);
  });

  it("does not appear when no more files can be opened", async () => {
    expect(await underLimit("ulimit -n 64")).toMatch(
      /^MachineError: cannot write '.*': too many files are open \(EMFILE\); raise the limit \('ulimit -n'\)$/,
    );
  });

  it("leaves the older one as it was when it cannot take its place", async () => {
    await writeFile(path, "old");
    async function* breaking() {
      yield "new";
      throw new Error("the source broke off");
    }
    const [error, left] = await refusal(breaking());
    expect(error).toMatchObject({ message: "the source broke off" });
    expect(left).toEqual(["file.jsonl"]);
    expect(await readFile(path, "utf8")).toBe("old");
  });

  it("does not get its name before it was looked at", async () => {
    const looked: string[] = [];
    const verify = (written: string) => {
      looked.push(written);
      throw new Error("not whole");
    };
    await expect(writeWhole(path, "text", verify)).rejects.toThrow("not whole");
    expect(looked).toEqual([`${path}.partial`]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("names a folder that is none", async () => {
    await writeFile(path, "a file");
    const inside = join(path, "file");
    await expect(writeWhole(inside, "text")).rejects.toThrow(
      `cannot write '${inside}': a part of the path is missing or is no folder (ENOTDIR); put that right`,
    );
    await mkdir(join(folder, "taken"));
    await expect(writeWhole(join(folder, "taken"), "text")).rejects.toThrow(MachineError);
  });
});
