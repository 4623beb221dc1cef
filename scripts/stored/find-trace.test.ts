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
  writeFileSync(join(traces, "many", "verdicts.jsonl"), "");
});
afterAll(() => rmSync(traces, { recursive: true }));

describe("the trace that a reader means", () => {
  it("is the file that is named", async () => {
    const path = join(traces, "many", "many-017.jsonl");
    expect(await findTrace(path, undefined, traces)).toBe(path);
  });
  it.each(["17", "017", "many-017"])("is the trial '%s' of a run that is named by its id", async (trial) =>
    expect(await findTrace("many", trial, traces)).toBe(join(traces, "many", "many-017.jsonl")),
  );
  it("is the only one of a run that has one", async () =>
    expect(await findTrace(join(traces, "one"), undefined, traces)).toBe(
      join(traces, "one", "one-001.jsonl"),
    ));

  it.each([
    ["many", undefined, "'many' holds 3 trials: say which, for example many-001 or 1"],
    ["many", "18", "'many' has no trial '18'; its 3 are many-001, many-017, many-117"],
    ["none", undefined, "'none' holds no traces (*.jsonl)"],
    ["gone", "1", "there is neither 'gone' nor a run of that name in"],
  ])("is asked for in words where '%s' and '%s' do not say", async (run, trial, sentence) =>
    expect(findTrace(run, trial, traces)).rejects.toThrow(sentence),
  );
});
