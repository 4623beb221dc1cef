import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { identityOf } from "../../base/process-identity.ts";
import { descendantsOf } from "../process/process-tree.ts";
import { ExecutorProcess } from "./executor-process.ts";
import { executorProgram } from "./executor-programs.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<ExecutorProcess> {
  const folder = mkdtempSync(join(tmpdir(), "recovery-kit-executor-"));
  folders.push(folder);
  return ExecutorProcess.start({
    program: executorProgram(undefined, new Map()),
    folder,
    env: { CF_HARNESS_TOKEN: "a-token", CF_HARNESS_RUNTIME_ID: "runtime-1", KIT_SYNC_MS: "5000" },
    onOutput: () => undefined,
  });
}

describe("an executor's process", () => {
  it("is the real daemon, listens on 127.0.0.1, and is gone when it was killed", async () => {
    const executor = await start();
    const url = `http://127.0.0.1:${await executor.port}/healthz`;
    expect(await (await fetch(url)).text()).toBe("ok");
    expect(executor.isRunning).toBe(true);
    expect(await executor.kill()).toEqual({ pid: executor.pid, exitCode: null, signal: "SIGKILL" });
    expect(executor.isRunning).toBe(false);
    expect(identityOf(executor.pid)).toBeNull();
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe("the tree below a process", () => {
  it("has those that left its group too", async () => {
    // A shell whose child starts a session of its own, as an agent's tool may.
    const script = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" }); setInterval(() => {}, 1000)`;
    const parent = spawn(process.execPath, ["-e", script], { stdio: "ignore", detached: true });
    await once(parent, "spawn");
    const pid = parent.pid ?? 0;
    let below = descendantsOf(pid);
    while (below.length === 0) {
      await delay(10);
      below = descendantsOf(pid);
    }
    expect(below).toHaveLength(1);
    expect(below[0]).not.toBe(pid);
    const ended = once(parent, "exit");
    for (const one of [...below, pid]) process.kill(one, "SIGKILL");
    await ended;
  });
});
