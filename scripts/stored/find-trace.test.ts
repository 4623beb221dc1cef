import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findTrace } from "./find-trace.ts";

let traces: string;

beforeAll(() => {
  traces = mkdtempSync(join(tmpdir(), "recovery-kit-find-"));
  for (const run of ["many", "one", "none"]) mkdirSync(join(traces, run));
  for (const name of ["many-001", "many-017", "many-117"])
    writeFileSync(join(traces, "many", `${name}.jsonl`), "");
  writeFileSync(join(traces, "one", "one-001.jsonl"), "");
  mkdirSync(join(traces, "cut-off"));
  writeFileSync(join(traces, "cut-off", "cut-off-001.jsonl"), "");
  const specs = ["cut-off-001", "cut-off-002"].map((trial) => ({ trial, condition: "c", canary: false }));
  const plan = { run: "cut-off", experiment: "recovery", seed: 1, specs };
  writeFileSync(join(traces, "cut-off", "run.json"), JSON.stringify(plan));
  mkdirSync(join(traces, "set", "taken"), { recursive: true });
  writeFileSync(join(traces, "set", "taken", "set-001.jsonl"), "");
  writeFileSync(join(traces, "many", "verdicts.jsonl"), "");
});
afterAll(() => rmSync(traces, { recursive: true }));

describe("the trace that a reader means", () => {
  it("is the file that is named", async () => {
    const path = join(traces, "many", "many-017.jsonl");
    expect((await findTrace(path, undefined, traces)).path).toBe(path);
  });
  it.each(["17", "017", "many-017"])("is the trial '%s' of a run that is named by its id", async (trial) =>
    expect((await findTrace("many", trial, traces)).path).toBe(join(traces, "many", "many-017.jsonl")),
  );
  it("is the only one of a run that has one", async () =>
    expect((await findTrace(join(traces, "one"), undefined, traces)).path).toBe(
      join(traces, "one", "one-001.jsonl"),
    ));

  it("is that of a trial that is named by its id alone", async () =>
    expect((await findTrace("many-117", undefined, traces)).path).toBe(
      join(traces, "many", "many-117.jsonl"),
    ));
  it("is no other of the same id", async () => {
    for (const run of ["left", "right"]) {
      mkdirSync(join(traces, run));
      writeFileSync(join(traces, run, "same-001.jsonl"), "");
    }
    await expect(findTrace("same-001", undefined, traces)).rejects.toThrow(
      "there are several trials 'same-001': name one of",
    );
  });

  it.each([
    ["many", undefined, "'many' holds 3 trials: say which, for example many-001"],
    ["many", "18", "'many' has no trial '18'; it has many-001, many-017, many-117"],
    ["none", undefined, /^'none' holds no traces \(\*\.jsonl\)$/],
    ["set", undefined, /^'set' holds no traces \(\*\.jsonl\); .*set\/taken does$/],
    [
      "cut-off",
      "2",
      "trial 'cut-off-002' was planned and left no trace; of 2 planned trials 'cut-off' has 1",
    ],
    ["gone", "1", "there is no 'gone', and no run or trial of that name in"],
  ])("is asked for in words where '%s' and '%s' do not say", async (run, trial, sentence) =>
    expect(findTrace(run, trial, traces)).rejects.toThrow(sentence),
  );
});
