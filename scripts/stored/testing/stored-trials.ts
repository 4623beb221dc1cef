/**
 * Trials for tests of what comes after judging: traces with known verdicts from `src/reconcile/cases`, named and
 * expected as a test wants them, in memory or as files.
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { t01, t02 } from "../../../src/reconcile/cases/traces.ts";
import { judge, matchExpectation } from "../../../src/reconcile/index.ts";
import type { TraceBuilder } from "../../../src/reconcile/testing/trace-builder.ts";
import type { Expectation, TrialSpec } from "../../../src/trace/spec.ts";
import type { JudgedRun } from "../judge-run.ts";
import type { JudgedTrial } from "../judge-trace.ts";

/** What the two cases are known to come to. */
export const DUPLICATE: Expectation = { attempts: 2, effects: 2, flags: ["duplicate"] };
export const HARMLESS: Expectation = { attempts: 2, effects: 1, flags: ["ok"] };

type Naming = Partial<
  Pick<TrialSpec, "trial" | "run" | "condition" | "canary" | "expect" | "experiment" | "repeat">
>;

/** Committed twice: `duplicate`. */
export const duplicateTrial = (naming: Naming = {}): TraceBuilder =>
  named(t01(), { condition: "opencode/after-commit/abort/append/reissue", expect: DUPLICATE, ...naming });

/** Attempted twice, committed once: `ok`. */
export const harmlessTrial = (naming: Naming = {}): TraceBuilder =>
  named(t02(), { condition: "opencode/after-commit/kill/unique/reissue", expect: HARMLESS, ...naming });

/** A trial that ended without reaching its point. */
export function invalidTrial(naming: Naming = {}): TraceBuilder {
  const builder = duplicateTrial(naming);
  const end = builder.records.at(-1);
  if (end?.type === "trial.ended") Object.assign(end, { reason: "point-not-reached", detail: "no hold" });
  return builder;
}

/** A trial whose object was woken by a request that nobody recorded: whether it would have woken alone is open. */
export function undecidedTrial(naming: Naming = {}): TraceBuilder {
  const builder = duplicateTrial(naming);
  for (const record of builder.records)
    if (record.type === "subject.activated" && record.generation > 1) Object.assign(record, { cause: "rpc" });
  return builder;
}

export function judged(builder: TraceBuilder): JudgedTrial {
  const { spec, environment } = builder;
  const verdict = judge(builder.toParsed());
  return {
    path: `traces/${spec.run}/${spec.trial}.jsonl`,
    verdict,
    head: null,
    spec,
    environment,
    expectation: spec.expect === null ? null : matchExpectation(verdict, spec.expect),
    requirement: null,
    prevention: [],
  };
}

export function judgedRun(builders: readonly TraceBuilder[], fields: Partial<JudgedRun> = {}): JudgedRun {
  return {
    run: "run-1",
    folder: "traces/run-1",
    experiment: "recovery",
    seed: 1,
    host: { kind: "stand-in", name: "opencode-stand-in", version: "0" },
    trials: builders.map(judged),
    missing: [],
    resumed: 0,
    commandLine: ["run", "recovery"],
    planned: true,
    problems: [],
    ...fields,
  };
}

/** The text of the trace's file, with a chain that holds. */
export function traceText(builder: TraceBuilder): string {
  return builder.toText((text) => createHash("sha256").update(text).digest("hex"));
}

/** Stores trials as a run's folder, with the plan that they are the whole of. */
export async function storeRun(folder: string, builders: readonly TraceBuilder[]): Promise<void> {
  await storeTraces(folder, builders);
  const specs = builders.map(({ spec }) => spec);
  const [first] = specs;
  const plan = { run: first?.run ?? "run-1", experiment: first?.experiment ?? "recovery", seed: 1, specs };
  await writeFile(join(folder, "run.json"), JSON.stringify(plan));
}

/** Stores traces and nothing else. */
export async function storeTraces(folder: string, builders: readonly TraceBuilder[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const builder of builders)
    await writeFile(join(folder, `${builder.spec.trial}.jsonl`), traceText(builder));
}

function named(builder: TraceBuilder, naming: Naming): TraceBuilder {
  // The first record and the header hold this very object, so they agree.
  Object.assign(builder.spec, { experiment: "recovery", ...naming });
  return builder;
}
