/** Ctrl-C in the middle of a run: what was recorded is exported, and no process is left behind. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPOSITORY } from "../scripts/repository.ts";
import { parseTrace } from "../src/trace/file.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Process ids of the children of `pid`, as the operating system lists them. */
async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8")),
  );
  return lists.flatMap((list) => list.trim().split(" ").filter(Boolean).map(Number));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it("exports the traces so far, exits with 130 and leaves no child process", {
  timeout: 120_000,
}, async () => {
  const args = ["run", "recovery", "--host", "stand-in", "--only", "subject=opencode,point=none"];
  args.push("--settle-ms", "600000", "--run-id", "interrupted", "--traces", dir);
  const kit = spawn(process.execPath, [join(REPOSITORY, "scripts/recovery-kit.mjs"), ...args], {
    cwd: REPOSITORY,
  });
  const ended = new Promise<number | null>((resolve) => kit.once("exit", resolve));
  let progress = "";
  kit.stderr.on("data", (chunk: Buffer) => {
    progress += chunk.toString();
  });
  // The settle window is ten minutes, so the run cannot end by itself before it is interrupted.
  while (!/settle 2/.test(progress)) {
    expect(kit.exitCode, progress).toBeNull();
    await delay(100);
  }
  const children = await childrenOf(kit.pid ?? 0);
  expect(children.length).toBeGreaterThan(0);

  kit.kill("SIGINT");

  expect(await ended).toBe(130);
  expect(children.filter(isAlive)).toEqual([]);
  const folder = join(dir, "interrupted");
  const names = (await readdir(folder)).filter((name) => /^interrupted-\d+\.jsonl$/.test(name));
  expect(names).toHaveLength(2);
  for (const name of names) {
    const text = await readFile(join(folder, name), "utf8");
    const { records, problems } = parseTrace(text, (line) => createHash("sha256").update(line).digest("hex"));
    expect(problems).toEqual([]);
    expect(records.at(-1)).toMatchObject({ type: "trial.ended", reason: "cancelled" });
  }
});
