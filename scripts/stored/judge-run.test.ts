/** What becomes of a folder whose files are not what its plan says. */
import { copyFile, mkdtemp, readdir, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TraceBuilder } from "../../src/reconcile/testing/trace-builder.ts";
import { judgePath } from "./judge-run.ts";
import { EXIT, exitCodeOf } from "./outcome.ts";
import { duplicateTrial, harmlessTrial, storeRun, storeTraces } from "./testing/stored-trials.ts";

async function stored(builders: readonly TraceBuilder[], { planned }: { planned: boolean }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "judge-run-"));
  await (planned ? storeRun : storeTraces)(folder, builders);
  return folder;
}

const two = () => [duplicateTrial(), harmlessTrial({ trial: "run-1-t2" })];
const path = (folder: string, trial: string) => join(folder, `${trial}.jsonl`);

describe("the folder of a run", () => {
  it("leaves out a trace that lies under another trial's name, and misses that trial", async () => {
    const folder = await stored(two(), { planned: true });
    await copyFile(path(folder, "run-1-t1"), path(folder, "run-1-t2"));
    const run = await judgePath(folder);
    expect(run.trials.map(({ verdict }) => verdict.trial)).toEqual(["run-1-t1"]);
    expect(run.missing.map(({ trial }) => trial)).toEqual(["run-1-t2"]);
    expect(run.problems.join()).toContain("counted nowhere");
    expect(exitCodeOf(run)).toBe(EXIT.undecided);
  });

  it("minds no name where the trial is there once", async () => {
    const folder = await stored(two(), { planned: true });
    await rename(path(folder, "run-1-t1"), path(folder, "renamed"));
    const run = await judgePath(folder);
    expect([run.trials.length, run.missing, run.problems]).toEqual([2, [], []]);
  });

  it("is sound when every trace is there", async () => {
    const run = await judgePath(await stored(two(), { planned: true }));
    expect([exitCodeOf(run), run.problems]).toEqual([EXIT.asExpected, []]);
  });
});

describe("a set of traces without a plan", () => {
  it("is not known to be whole, so it is never as expected", async () => {
    const run = await judgePath(await stored(two(), { planned: false }));
    expect(run.problems.join()).toContain("whether a trace is missing is not known");
    expect(exitCodeOf(run)).toBe(EXIT.undecided);
  });

  it("counts a copy once and minds no name", async () => {
    const folder = await stored(two(), { planned: false });
    await rename(path(folder, "run-1-t2"), path(folder, "renamed"));
    await storeTraces(folder, [harmlessTrial({ trial: "run-1-t2" })]);
    const run = await judgePath(folder);
    expect(run.trials).toHaveLength(2);
    expect(run.problems.join()).toContain("is a copy of");
  });

  it("is refused where it mixes hosts", async () => {
    const other = duplicateTrial({ trial: "run-1-t3" });
    other.spec.factors.host = "sdk";
    await expect(stored([...two(), other], { planned: false }).then(judgePath)).rejects.toThrow(
      /different hosts \(sdk, stand-in\)/,
    );
  });

  it("is left as it was", async () => {
    const folder = await stored(two(), { planned: false });
    const before = await readdir(folder);
    await judgePath(folder);
    expect(await readdir(folder)).toEqual(before);
  });
});
