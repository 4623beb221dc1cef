import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type LockOwner, lockOwner, takeLock } from "./file-lock.ts";
import { machineErrorOf } from "./machine-error.ts";

let path: string;
beforeEach(async () => {
  const dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  path = join(dir, "a.lock");
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});

const MODULE = new URL("file-lock.ts", import.meta.url).href;
/** Takes the lock, says what came of it and keeps it until it is ended. */
const HOLDER = `
const { takeLock } = await import(${JSON.stringify(MODULE)});
const taken = await takeLock(process.argv[1]);
console.log(JSON.stringify(taken.owner ?? null));
setInterval(() => undefined, 1_000);
`;

async function holder(): Promise<{ pid: number; refusedBy: LockOwner | null; end: () => Promise<void> }> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(end);
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return { pid: child.pid ?? 0, refusedBy: JSON.parse(String(line)), end };
}

describe("a lock", () => {
  it("is had by one process, whom the others are told of", async () => {
    const first = await holder();
    expect(first.refusedBy).toBeNull();
    const taken = await takeLock(path);
    expect(taken).toMatchObject({ owner: { pid: first.pid } });
    expect(lockOwner(path)).toMatchObject({ pid: first.pid });
  });

  it("is free when its process was killed, and taken over", async () => {
    const first = await holder();
    await first.end();
    expect(existsSync(path)).toBe(true);
    expect(lockOwner(path)).toBeNull();
    const second = await holder();
    expect(second.refusedBy).toBeNull();
    expect(lockOwner(path)).toMatchObject({ pid: second.pid });
  });

  it("that was left behind goes to one of many that want it at once", async () => {
    await (await holder()).end();
    const all = await Promise.all(Array.from({ length: 6 }, holder));
    const winners = all.filter(({ refusedBy }) => refusedBy === null);
    expect(winners).toHaveLength(1);
    for (const { refusedBy } of all) if (refusedBy !== null) expect(refusedBy.pid).toBe(winners[0]?.pid);
  });

  it.skipIf(!existsSync("/sys"))("that the system refuses is refused in the system's words", async () => {
    // Nobody may make a file there, whoever asks.
    const error: unknown = await takeLock("/sys/a.lock").catch((reason: unknown) => reason);
    expect(machineErrorOf(error)?.message).toMatch(/^cannot open '\/sys\/a\.lock': [^\n]+; [^\n]+$/);
  });

  it("leaves no file when it is given back, and can be had again", async () => {
    for (let time = 0; time < 2; time++) {
      const taken = await takeLock(path);
      if ("owner" in taken) throw new Error("it is somebody else's");
      expect(await takeLock(path)).toMatchObject({ owner: { pid: process.pid } });
      taken.release();
      expect(existsSync(path)).toBe(false);
      expect(lockOwner(path)).toBeNull();
    }
  });
});
