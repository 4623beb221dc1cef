import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { identityOf, isRunning } from "./process-identity.ts";

it("a process is the same as long as it runs, and no other under its number is", async () => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => undefined, 1_000)"], {
    stdio: "ignore",
  });
  await once(child, "spawn");
  const identity = identityOf(child.pid ?? 0);
  if (identity === null) throw new Error("it is not seen");
  expect(isRunning(identity)).toBe(true);
  expect(isRunning({ ...identity, startedAt: identityOf(process.pid)?.startedAt ?? "" })).toBe(false);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  expect(isRunning(identity)).toBe(false);
  expect(identityOf(identity.pid)).toBeNull();
});
