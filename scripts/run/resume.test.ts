import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildEnvironment } from "../../src/reconcile/testing/spec-builder.ts";
import type { TraceBuilder } from "../../src/reconcile/testing/trace-builder.ts";
import { UserError } from "../base/user-error.ts";
import { readStoredPlan, writeStoredPlan } from "../stored/stored-run.ts";
import type { TraceFile } from "../stored/stored-traces.ts";
import { duplicateTrial, invalidTrial, storeTraces } from "../stored/testing/stored-trials.ts";
import { trialNameOf } from "../stored/trace-names.ts";
import { beginResumption, findRun, readInterruptedRun, verifySame } from "./resume.ts";

let traces: string;
beforeEach(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterEach(() => rm(traces, { recursive: true, force: true }));

const environment = buildEnvironment({ commit: "1234567890abcdef1234567890abcdef12345678" });

const names = (traces: readonly TraceFile[]) => traces.map(({ path }) => trialNameOf(path));

/** A trial that Ctrl-C cut off. */
function cancelledTrial(trial: string): TraceBuilder {
  const builder = duplicateTrial({ trial });
  Object.assign(builder.records.at(-1) ?? {}, { reason: "cancelled" });
  return builder;
}

/** Stores a run whose plan has all of the trials, and whose folder has the traces of some. */
async function stored(planned: readonly TraceBuilder[], finished: readonly TraceBuilder[]): Promise<string> {
  const folder = join(traces, "run-1");
  await storeTraces(folder, finished);
  await writeStoredPlan(folder, {
    run: "run-1",
    experiment: "recovery",
    seed: 1,
    host: "stand-in",
    specs: planned.map(({ spec }) => spec),
    commandLine: ["recovery-kit", "run"],
    environment,
    resumptions: [],
  });
  return folder;
}

const [first, second, third, fourth] = ["run-1-t1", "run-1-t2", "run-1-t3", "run-1-t4"] as const;

describe("what is left of an interrupted run", () => {
  it("is what has no trace and what was cancelled; an invalid trial is not tried again", async () => {
    const all = [
      duplicateTrial({ trial: first }),
      invalidTrial({ trial: second }),
      cancelledTrial(third),
      duplicateTrial({ trial: fourth }),
    ];
    await stored(all, all.slice(0, 3));
    const run = await readInterruptedRun(join(traces, "run-1"));
    expect([...run.kept]).toEqual([first, second]);
    expect(run.left.map(({ trial }) => trial)).toEqual([third, fourth]);
    expect(names(run.cancelled)).toEqual([third]);
  });

  it("is also what has a trace without its end, which is moved aside and not removed", async () => {
    const all = [duplicateTrial({ trial: first }), duplicateTrial({ trial: second })];
    const folder = await stored(all, all);
    const path = join(folder, `${first}.jsonl`);
    const whole = await readFile(path, "utf8");
    for (const [time, cut] of ["not a trace\n", "", whole.slice(0, -2_000)].entries()) {
      await writeFile(path, cut);
      const run = await readInterruptedRun(join(traces, "run-1"));
      expect([names(run.damaged), [...run.kept], run.cancelled]).toEqual([[first], [second], []]);
      expect(run.left.map(({ trial }) => trial)).toEqual([first]);
      await beginResumption(run, environment, []);
      expect(await readdir(folder)).not.toContain(`${first}.jsonl`);
      const aside = join(folder, "damaged", `${first}${time === 0 ? "" : `.${time + 1}`}.jsonl`);
      expect(await readFile(aside, "utf8")).toBe(cut);
    }
  });

  it("is not what has a trace that was changed before its end: that is evidence of something else", async () => {
    const all = [duplicateTrial({ trial: first })];
    const folder = await stored(all, all);
    const path = join(folder, `${first}.jsonl`);
    const lines = (await readFile(path, "utf8")).split("\n");
    lines[3] = "changed";
    await writeFile(path, lines.join("\n"));
    expect((await readInterruptedRun(join(traces, "run-1"))).left).toEqual([]);
  });

  it("is the same where traces were packed, each by itself; one that ran on is moved aside as it is", async () => {
    const all = [duplicateTrial({ trial: first }), cancelledTrial(second), duplicateTrial({ trial: third })];
    const folder = await stored(all, all.slice(0, 2));
    for (const trial of [first, second]) {
      const path = join(folder, `${trial}.jsonl`);
      await writeFile(`${path}.gz`, gzipSync(await readFile(path)));
      await rm(path);
    }
    const run = await readInterruptedRun(folder);
    expect([[...run.kept], names(run.cancelled)]).toEqual([[first], [second]]);
    expect(run.left.map(({ trial }) => trial)).toEqual([second, third]);
    await beginResumption(run, environment, []);
    expect(await readdir(join(folder, "cancelled"))).toEqual([`${second}.jsonl.gz`]);
    expect((await readdir(folder)).toSorted()).toEqual(
      ["cancelled", "run.json", `${first}.jsonl.gz`].toSorted(),
    );
  });

  it("is not to be had of an archive, which says what to do", async () => {
    await writeFile(join(traces, "run-1.tgz"), "");
    for (const named of ["run-1.tgz", join(traces, "run-1.tgz")])
      expect(() => findRun(named, traces)).toThrow(
        /^--resume: '.*run-1\.tgz' is packed, .*: unpack it and name its folder$/,
      );
  });

  it("is nothing when every trial ended by itself", async () => {
    const all = [duplicateTrial({ trial: first })];
    await stored(all, all);
    expect((await readInterruptedRun(join(traces, "run-1"))).left).toEqual([]);
  });

  it("can be asked for by the run's id or by its folder", async () => {
    const folder = await stored([duplicateTrial({ trial: first })], []);
    expect(findRun(folder, join(traces, "elsewhere"))).toBe(folder);
    expect(findRun("run-1", traces)).toBe(folder);
  });

  it("is not to be had of what is no run, or of a plan that cannot be read", async () => {
    expect(() => findRun("run-9", traces)).toThrow(UserError);
    const folder = join(traces, "run-1");
    await mkdir(folder);
    await writeFile(join(folder, "run.json"), '{"run": "run-1"}');
    await expect(readInterruptedRun(join(traces, "run-1"))).rejects.toThrow(
      "not a plan of this version of the kit",
    );
  });
});

describe("resuming", () => {
  it("is refused in one sentence that names everything that changed", async () => {
    await stored([duplicateTrial({ trial: first })], []);
    const run = await readInterruptedRun(join(traces, "run-1"));
    const now = buildEnvironment({ ...environment, commit: "f".repeat(40), node: "99.0.0" });
    expect(() => verifySame(run, now)).toThrow(UserError);
    expect(() => verifySame(run, now)).toThrow(
      /^run run-1 cannot be finished on other .*: node was 24\.0\.0 and is 99\.0\.0, commit was 1234567890ab and is f{12}$/,
    );
  });

  it("does not mind what differs from run to run, nor what is not known yet", async () => {
    await stored([duplicateTrial({ trial: first })], []);
    const run = await readInterruptedRun(join(traces, "run-1"));
    verifySame(run, {
      ...environment,
      startedAt: "2030-01-01T00:00:00.000Z",
      commandLine: ["other"],
      seed: 9,
    });
    const { bundles: _later, ...checkout } = environment;
    verifySame(run, checkout);
  });

  it("changes nothing when it is refused", async () => {
    const all = [cancelledTrial(first)];
    const folder = await stored(all, all);
    const before = await readFile(join(folder, "run.json"), "utf8");
    const run = await readInterruptedRun(join(traces, "run-1"));
    const other = { ...environment, bundles: { subject: "a".repeat(64) } };
    await expect(beginResumption(run, other, [])).rejects.toThrow("bundles.subject was nothing and is aaaa");
    expect((await readdir(folder)).toSorted()).toEqual([`${first}.jsonl`, "run.json"]);
    expect(await readFile(join(folder, "run.json"), "utf8")).toBe(before);
  });

  it("moves cancelled traces aside, never one over another, and notes what is run again", async () => {
    const all = [cancelledTrial(first), duplicateTrial({ trial: second })];
    const folder = await stored(all, all);
    const trace = await readFile(join(folder, `${first}.jsonl`));
    for (const commandLine of [["once"], ["twice"]]) {
      await beginResumption(await readInterruptedRun(join(traces, "run-1")), environment, commandLine);
      await storeTraces(folder, [cancelledTrial(first)]);
    }
    const aside = join(folder, "cancelled");
    expect((await readdir(aside)).toSorted()).toEqual([`${first}.2.jsonl`, `${first}.jsonl`]);
    expect(await readFile(join(aside, `${first}.jsonl`))).toEqual(trace);
    expect((await readStoredPlan(folder)).resumptions).toEqual([
      { startedAt: environment.startedAt, commandLine: ["once"], trials: [first] },
      { startedAt: environment.startedAt, commandLine: ["twice"], trials: [first] },
    ]);
  });
});
