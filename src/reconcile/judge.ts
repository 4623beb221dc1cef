/**
 * Composes the checks: a parsed trace in, a verdict out. Pure: no clock, no randomness, no I/O, and it never throws on
 * evidence. A trace that is damaged leaves every axis `unknown`; a check that throws leaves its own axis `unknown`
 * and a finding. Leaves reading files to the caller and sentences to `explain.ts`.
 */
import type { ParsedTrace } from "../trace/file.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { type Finding, VERDICT_SCHEMA, type Verdict } from "../trace/verdict.ts";
import { attribute } from "./attribution.ts";
import { judgeAutonomous } from "./autonomous.ts";
import { judgeCalls } from "./calls.ts";
import { type CaseFile, openCaseFile } from "./case-file.ts";
import { judgeExecution } from "./execution.ts";
import { judgeExecutor } from "./executor.ts";
import { type Answer, finding } from "./finding.ts";
import { checkLedgerBooks, checkModelBooks } from "./gates/books-agree.ts";
import { checkEvidence, checkHost } from "./gates/evidence-whole.ts";
import { checkFault, checkRefusals } from "./gates/fault-delivered.ts";
import { checkEnding, checkFile } from "./gates/journal-whole.ts";
import { checkRuntime } from "./gates/runtime-alive.ts";
import { checkLaw } from "./law.ts";
import { listResets } from "./listed-resets.ts";
import { judgeOperations } from "./operations.ts";
import { judgeRebinding } from "./rebinding.ts";
import { observe } from "./remarks.ts";
import { judgeRepeats } from "./repeats.ts";
import { judgeSession } from "./session.ts";
import { judgeStuck } from "./stuck.ts";
import { measureTimings } from "./timings.ts";
import { compareTranscript } from "./transcript.ts";
import { measureUsage } from "./usage.ts";

export function judge(parsed: ParsedTrace): Verdict {
  const started = parsed.records[0];
  const spec = started?.type === "trial.started" ? started.spec : (parsed.header?.spec ?? null);
  const damage = guarded("file", [], () => checkFile(parsed));
  const reasons = [...damage.value, ...damage.failures];
  if (spec === null || reasons.length > 0) return undecidedVerdict(parsed, spec, reasons);
  try {
    return judgeWhole(parsed, openCaseFile(parsed.records, spec));
  } catch (error) {
    return undecidedVerdict(parsed, spec, [failure("case-file", error)]);
  }
}

function judgeWhole(parsed: ParsedTrace, file: CaseFile): Verdict {
  const failures: Finding[] = [];
  const run = <T>(name: string, fallback: T, check: () => T): T => {
    const result = guarded(name, fallback, check);
    failures.push(...result.failures);
    return result.value;
  };
  const unknown = (): Answer<"unknown"> => ({ value: "unknown", code: "checker-failed", evidence: [] });
  const gate = (name: string, check: () => Finding[]): Finding[] => {
    const result = guarded(name, [], check);
    return [...result.value, ...result.failures];
  };

  const ledger = gate("ledger-books", () => checkLedgerBooks(file));
  // A trial that stopped early lacks everything that would have come later: that it stopped is the reason.
  const stopped = file.ended !== null && file.ended.reason !== "completed";
  const reasons = [
    ...gate("ending", () => checkEnding(parsed)),
    ...gate("evidence", () => (stopped ? checkHost(file) : checkEvidence(file))),
    ...gate("fault", () => (stopped ? checkRefusals(file) : checkFault(file))),
    ...gate("runtime", () => (stopped ? [] : checkRuntime(file))),
    ...ledger,
    ...gate("model-books", () => checkModelBooks(file)),
  ];
  const validity: Verdict["validity"] = { value: reasons.length === 0 ? "valid" : "invalid", reasons };

  const session = run<Verdict["session"]>("session", unknown(), () => judgeSession(file));
  const execution = run<Verdict["execution"]>("execution", unknown(), () => judgeExecution(file));
  const executor = run<ReturnType<typeof judgeExecutor>>("executor", { axis: unknown(), findings: [] }, () =>
    judgeExecutor(file),
  );
  const autonomous = run<Verdict["autonomous"]>("autonomous", { ...unknown(), wokeAfterMs: null }, () =>
    judgeAutonomous(file),
  );
  const stuck = run<Verdict["stuck"]>("stuck", unknown(), () => judgeStuck(file));
  const operations = run("operations", unknownOperations(parsed, file.spec), () =>
    judgeOperations(file, ledger.length === 0),
  );
  const repeats = run("repeats", [], () => judgeRepeats(file));
  const calls = run("calls", { callMismatches: [], openCalls: [] }, () => judgeCalls(file));
  const usage = run("usage", { usage: NO_USAGE, probeMixedIn: false }, () => measureUsage(file));
  const judged = {
    validity,
    resets: run("resets", [], () => listResets(file)),
    session,
    execution,
    executor: executor.axis,
    autonomous,
    stuck,
    operations,
    repeats,
    callMismatches: calls.callMismatches,
  };
  const whole: Omit<Verdict, "findings"> = {
    ...identityOf(parsed, file.spec),
    ...judged,
    rebinding: run("rebinding", NO_REBINDING, () => judgeRebinding(file, judged)),
    openCalls: calls.openCalls,
    openAttempts: file.attempts.filter(({ open }) => open).map(({ received }) => received.attempt),
    attribution: run<Verdict["attribution"]>("attribution", unknown(), () => attribute(file, judged)),
    timings: run("timings", NO_TIMINGS, () => measureTimings(file)),
    usage: usage.usage,
    transcript: run("transcript", NO_TRANSCRIPT, () => compareTranscript(file)),
    law: run("law", { acknowledged: 0, committed: 0, received: 0, holds: false }, () => checkLaw(file)),
  };
  const observed = run("observations", [], () => observe(file, repeats, usage.probeMixedIn));
  return { ...whole, findings: [...executor.findings, ...observed, ...failures] };
}

/** What can be said of a trace that is damaged: what it was to be, and why nothing is decided. */
function undecidedVerdict(parsed: ParsedTrace, spec: TrialSpec | null, reasons: Finding[]): Verdict {
  const unknown = () => ({
    value: "unknown" as const,
    code: reasons[0]?.code ?? "no-records",
    evidence: [],
  });
  const count = (type: string) => parsed.records.filter((record) => record.type === type).length;
  return {
    ...identityOf(parsed, spec),
    validity: { value: "invalid", reasons },
    resets: [],
    session: unknown(),
    execution: unknown(),
    executor: unknown(),
    autonomous: { ...unknown(), wokeAfterMs: null },
    stuck: unknown(),
    rebinding: NO_REBINDING,
    operations: unknownOperations(parsed, spec),
    repeats: [],
    callMismatches: [],
    openCalls: [],
    openAttempts: [],
    attribution: unknown(),
    timings: NO_TIMINGS,
    usage: NO_USAGE,
    transcript: NO_TRANSCRIPT,
    law: {
      acknowledged: 0,
      committed: count("effect.committed"),
      received: count("attempt.received"),
      // A damaged list of records cannot show that it held.
      holds: false,
    },
    findings: [],
  };
}

function identityOf(parsed: ParsedTrace, spec: TrialSpec | null) {
  const activated = parsed.records.find((record) => record.type === "subject.activated");
  return {
    schema: VERDICT_SCHEMA,
    trial: spec?.trial ?? null,
    condition: spec?.condition ?? null,
    host: activated?.host ?? null,
  } as const;
}

/** Counts as far as they could be read, flagged `unknown`. */
function unknownOperations(parsed: ParsedTrace, spec: TrialSpec | null): Verdict["operations"] {
  return (spec?.intended ?? []).map(({ action, effects }) => ({
    action,
    intended: effects,
    attempts: parsed.records.filter((r) => r.type === "attempt.received" && r.action === action).length,
    effects: parsed.records.filter((r) => r.type === "effect.committed" && r.action === action).length,
    flags: ["unknown"],
    evidence: [],
  }));
}

/** Runs one check. What it throws becomes a finding, and its answer the fallback, which never passes. */
function guarded<T>(name: string, fallback: T, check: () => T): { value: T; failures: Finding[] } {
  try {
    return { value: check(), failures: [] };
  } catch (error) {
    return { value: fallback, failures: [failure(name, error)] };
  }
}

function failure(checker: string, error: unknown): Finding {
  const detail = error instanceof Error ? error.message : String(error);
  return finding("validity", "checker-failed", { checker, detail });
}

const NO_TIMINGS: Verdict["timings"] = {
  resetToActivationMs: null,
  resetToProgressMs: null,
  resetToSettledMs: null,
  settledNote: null,
};
const NO_USAGE: Verdict["usage"] = { modelCalls: 0, titleCalls: 0, inputTokens: 0, outputTokens: 0 };
const NO_TRANSCRIPT: Verdict["transcript"] = {
  cursorBefore: null,
  cursorAfter: null,
  missing: [],
  damaged: [],
};
const NO_REBINDING: Verdict["rebinding"] = {
  identity: "unknown",
  generationBefore: null,
  generationAfter: null,
  oldWork: "unknown",
  result: "unknown",
  newWork: "untested",
  evidence: [],
};
