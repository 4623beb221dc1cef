/**
 * A run whose traces the machine refuses to store, by the command line as a user would: nothing that was recorded is lost,
 * and it is no bug of the kit.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTrace } from "../scripts/stored/read-trace.ts";
import { startKit } from "./support/kit.ts";

let traces: string;
beforeAll(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterAll(() => rm(traces, { recursive: true, force: true }));

/** Starts a run of one trial, whose folder is there with the plan; the command stands still until it is told to go on. */
async function started(run: string): Promise<ReturnType<typeof startKit>> {
  const kit = startKit([
    ...["run", "recovery", "--host", "stand-in", "--condition", "opencode/none/none/append/reissue"],
    ...["--run-id", run, "--traces", traces],
  ]);
  await kit.says("1 running");
  kit.child.kill("SIGSTOP");
  return kit;
}

// Both at the same time: each waits for a trial of its own.
describe.concurrent("a trace that cannot be stored", () => {
  it.skipIf(!existsSync("/dev/full"))(
    "is tried again and stored once there is room",
    { timeout: 120_000 },
    async () => {
      const path = join(traces, "full", "full-001.jsonl");
      const { ended } = await started("full").then(async (kit) => {
        // Goes with the attempt that fails, as a disk becomes free.
        await symlink("/dev/full", `${path}.partial`);
        kit.child.kill("SIGCONT");
        return kit;
      });
      const { code, stderr, stdout } = await ended;
      expect(stderr).toContain("no space is left on the disk (ENOSPC); free some; its journal is kept");
      expect(stderr).toContain("full-001: its trace is stored now");
      expect(stdout).toContain("1 trial, 1 valid, 1 as expected");
      expect(code).toBe(0);
      expect(readTrace(path)).toMatchObject({ isWhole: true, problems: [] });
      expect((await readdir(join(traces, "full"))).toSorted()).toEqual([
        "full-001.jsonl",
        "run.json",
        "verdicts.jsonl",
        "workers.log",
      ]);
    },
  );

  it("ends the run in one sentence, keeps the journal and can be had by resuming", {
    timeout: 180_000,
  }, async () => {
    const [folder, away] = [join(traces, "gone"), join(traces, "moved")];
    const kit = await started("gone");
    await rename(folder, away);
    await writeFile(folder, "in the way");
    kit.child.kill("SIGCONT");
    const { code, stderr } = await kit.ended;
    const last = stderr.trimEnd().split("\n").at(-1);
    expect(last).toMatch(
      /^recovery-kit: 1 of 1 traces could not be stored: cannot write '\S+gone-001\.jsonl': a part of the path is missing or is no folder \(ENOTDIR\); put that right, then 'npm run kit -- run --resume \S+gone' finishes the run$/,
    );
    expect(stderr).not.toContain("bug of the kit");
    expect(code).toBe(4);
    const kept = /the journals of trials without a stored trace are kept in (\S+)/.exec(stderr)?.[1] ?? "";
    expect(await readdir(join(kept, "lab"), { recursive: true })).toContainEqual(
      expect.stringMatching(/\.sqlite$/),
    );
    await rm(kept, { recursive: true });

    await rm(folder);
    await rename(away, folder);
    // Half of a trace under the final name, as an older version could leave it.
    const half = (await readFile(new URL(import.meta.url), "utf8")).slice(0, 100);
    await writeFile(join(folder, "gone-001.jsonl"), half);
    const resumed = await startKit(["run", "--resume", folder]).ended;
    expect(resumed.stderr).toContain(
      "run again because the trace is not whole: gone-001 · what is there is kept in ",
    );
    expect(resumed.code).toBe(0);
    expect(readTrace(join(folder, "gone-001.jsonl"))).toMatchObject({ isWhole: true, problems: [] });
    expect(await readFile(join(folder, "damaged", "gone-001.jsonl"), "utf8")).toBe(half);
  });
});
