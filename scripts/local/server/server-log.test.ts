import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lastErrorIn } from "./server-log.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-log-"));
  await mkdir(join(folder, "log"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function log(name: string, writtenAt: number, text: string): Promise<void> {
  const file = join(folder, "log", name);
  await writeFile(file, text);
  await utimes(file, writtenAt, writtenAt);
}

it("tells what brought about the last error, without where in the code", async () => {
  await log(
    "2026-12-03T121127.log",
    2,
    [
      "ERROR 2026-12-03T12:11:43 +1ms service=server error=an earlier one",
      "ERROR 2026-12-03T12:11:43 +1ms service=server error=Failed to run the query 'CREATE TABLE `project` (",
      "\t`id` text PRIMARY KEY",
      ");",
      "' Caused by: table `project` already exists cause=DrizzleError: Failed to run the query 'CREATE TABLE `project` (",
      ");",
      "'",
      "    at run (index.js:1)",
      "  [cause]: SQLiteError: table `project` already exists",
      "} failed",
      "INFO  2026-12-03T12:11:44 +1ms service=server status=completed",
      "",
    ].join("\n"),
  );
  expect(await lastErrorIn(folder)).toBe("table `project` already exists");
});

it("reads the log that was written last, whatever each version calls its own", async () => {
  await log("opencode.log", 1, "ERROR of the other version\n");
  await log("2026-12-03T121127.log", 2, "INFO  begins\nERROR of this version\nINFO  goes on\n");
  expect(await lastErrorIn(folder)).toBe("ERROR of this version");
});

it("says so where there is no log, or no error in it", async () => {
  expect(await lastErrorIn(join(folder, "elsewhere"))).toBe("it keeps no log");
  await log("opencode.log", 1, "INFO  begins\n");
  expect(await lastErrorIn(folder)).toBe("its log tells no error");
});
