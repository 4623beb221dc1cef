/**
 * Composes the checks: a parsed trace in, a verdict out. Pure: no clock, no randomness, no I/O, and it never throws on
 * evidence. A trace that is damaged leaves every axis `unknown`; a check that throws leaves its own axis `unknown`
 * and a finding. Leaves reading files to the caller and sentences to `explain.ts`.
 */
import type { ParsedTrace } from "../trace/file.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { attribute } from "./attribution.ts";
import { type Answers, type AnyAxis, AXES, byAxis } from "./axes/index.ts";
import { judgeCalls } from "./calls.ts";
import { type CaseFile, openCaseFile } from "./case-file.ts";
import { type Finding, finding } from "./finding.ts";
import { checkLedgerBooks, checkModelBooks } from "./gates/books-agree.ts";
import { checkEvidence, checkHost } from "./gates/evidence-whole.ts";
import { checkFault, checkRefusals } from "./gates/fault-delivered.ts";
import { checkEnding, checkFile } from "./gates/journal-whole.ts";
import { checkRuntime } from "./gates/runtime-alive.ts";
import { checkLaw } from "./law.ts";
import { listResets } from "./listed-resets.ts";
import { observe } from "./remarks.ts";
import { measureTimings, NO_TIMINGS } from "./timings.ts";
import { compareTranscript, NO_TRANSCRIPT } from "./transcript.ts";
import { measureUsage, NO_USAGE } from "./usage.ts";
import { VERDICT_SCHEMA, type Verdict } from "./verdict.ts";

export function judge(parsed: ParsedTrace): Verdict {
  const started = parsed.records[0];
  const spec = started?.type === "trial.started" ? started.spec : (parsed.header?.spec ?? null);
  const damage = guarded(
    "file",
    () => [],
    () => checkFile(parsed),
  );
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
    const result = guarded(name, () => fallback, check);
    failures.push(...result.failures);
    return result.value;
  };
  const gate = (name: string, check: () => Finding[]): Finding[] => {
    const result = guarded(name, () => [], check);
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

  const calls = run("calls", { callMismatches: [], openCalls: [] }, () => judgeCalls(file));
  const { callMismatches } = calls;
  const answers = answersOf(file, { ledgerAgrees: ledger.length === 0, callMismatches }, failures);
  const usage = run<ReturnType<typeof measureUsage>>("usage", { usage: NO_USAGE, probeMixedIn: false }, () =>
    measureUsage(file),
  );
  const judged = { ...answers, validity, callMismatches };
  const whole: Omit<Verdict, "findings"> = {
    ...identityOf(parsed, file.spec),
    ...judged,
    resets: run("resets", [], () => listResets(file)),
    openCalls: calls.openCalls,
    openAttempts: file.attempts.filter(({ open }) => open).map(({ received }) => received.attempt),
    attribution: run<Verdict["attribution"]>(
      "attribution",
      { value: "unknown", code: "checker-failed", evidence: [] },
      () => attribute(file, judged),
    ),
    timings: run("timings", NO_TIMINGS, () => measureTimings(file)),
    usage: usage.usage,
    transcript: run("transcript", NO_TRANSCRIPT, () => compareTranscript(file)),
    law: run("law", { acknowledged: 0, committed: 0, received: 0, holds: false }, () => checkLaw(file)),
  };
  const observed = run("remarks", [], () => observe(file, answers.repeats, usage.probeMixedIn));
  return { ...whole, findings: [...remarksOn(answers), ...observed, ...failures] };
}

/** What axes may rest on beside each other's answers. */
type Known = { readonly ledgerAgrees: boolean; readonly callMismatches: Verdict["callMismatches"] };

/**
 * One trial's axes, each under its name: an answer is worked out when it is first asked for, since an axis may rest on
 * others, in whatever order they stand.
 */
class Judging {
  readonly ledgerAgrees: boolean;
  readonly callMismatches: Verdict["callMismatches"];
  readonly failures: Finding[] = [];
  readonly #file: CaseFile;
  /** Undefined for an axis that is being worked out: one that rests on itself finds nothing, and its check fails. */
  readonly #answers = new Map<string, Answers[keyof Answers] | undefined>();

  constructor(file: CaseFile, { ledgerAgrees, callMismatches }: Known) {
    this.#file = file;
    this.ledgerAgrees = ledgerAgrees;
    this.callMismatches = callMismatches;
  }

  answerTo(axis: AnyAxis): Answers[keyof Answers] | undefined {
    if (this.#answers.has(axis.name)) return this.#answers.get(axis.name);
    this.#answers.set(axis.name, undefined);
    const judged = this as unknown as Answers & Known;
    const { value, failures } = guarded<Answers[keyof Answers]>(
      axis.name,
      () => axis.undecided("checker-failed", this.#file),
      () => axis.judge(this.#file, judged),
    );
    this.failures.push(...failures);
    this.#answers.set(axis.name, value);
    return value;
  }
}
// Once for all trials: what is defined anew for each costs more than most axes do.
for (const axis of AXES)
  Object.defineProperty(Judging.prototype, axis.name, {
    get(this: Judging) {
      return this.answerTo(axis);
    },
  });

function answersOf(file: CaseFile, known: Known, failures: Finding[]): Answers {
  const judging = new Judging(file, known);
  const answers = byAxis<Answers>((axis) => judging.answerTo(axis) as Answers[keyof Answers]);
  failures.push(...judging.failures);
  return answers;
}

function remarksOn(answers: Answers): Finding[] {
  return AXES.flatMap((axis) => ("remarks" in axis ? axis.remarks(answers[axis.name]) : []));
}

/** What can be said of a trace that is damaged: what it was to be, and why nothing is decided. */
function undecidedVerdict(parsed: ParsedTrace, spec: TrialSpec | null, reasons: Finding[]): Verdict {
  const code = reasons[0]?.code ?? "no-records";
  const trace = { records: parsed.records, spec };
  const count = (type: string) => parsed.records.filter((record) => record.type === type).length;
  return {
    ...identityOf(parsed, spec),
    validity: { value: "invalid", reasons },
    resets: [],
    ...byAxis<Answers>((axis) => axis.undecided(code, trace)),
    callMismatches: [],
    openCalls: [],
    openAttempts: [],
    attribution: { value: "unknown", code, evidence: [] },
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
    ...(spec?.container === undefined ? {} : { container: spec.container }),
  } as const;
}

/** Runs one check. What it throws becomes a finding, and its answer the fallback, which never passes. */
function guarded<T>(name: string, fallback: () => T, check: () => T): { value: T; failures: Finding[] } {
  try {
    return { value: check(), failures: [] };
  } catch (error) {
    return { value: fallback(), failures: [failure(name, error)] };
  }
}

function failure(checker: string, error: unknown): Finding {
  const detail = error instanceof Error ? error.message : String(error);
  return finding("validity", "checker-failed", { checker, detail });
}
