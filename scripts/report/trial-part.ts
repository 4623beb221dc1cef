/** One judged trial as the page shows it: its story, its stretches of time, how it was held against its expectation. Pure. */
import { basename } from "node:path";
import type { Tone, TrialPart } from "../../src/report/report-model.ts";
import { tellTrial } from "../../src/story/story.ts";
import { UNREADABLE } from "../../src/summarize/index.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { shownPath } from "../base/shown-path.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { outcomeOf, type TrialOutcome } from "../stored/outcome.ts";
import { spansOf } from "./spans.ts";

/** @param anchor unique in the report. */
export function trialPart(trial: JudgedTrial, parsed: ParsedTrace, anchor: string): TrialPart {
  const { verdict, spec, expectation, requirement } = trial;
  const outcome = outcomeOf(trial);
  const story = tellTrial(parsed, verdict);
  const zero = parsed.records.find(({ seq }) => seq === story.entries[0]?.seq);
  const zeroAt = (zero?.at ?? 0) - (story.entries[0]?.sinceMs ?? 0);
  return {
    anchor,
    trial: verdict.trial ?? basename(trial.path, ".jsonl"),
    condition: verdict.condition ?? UNREADABLE,
    canary: spec?.canary === true,
    valid: story.valid,
    outcome: OUTCOMES[outcome].words,
    tone: OUTCOMES[outcome].tone,
    differences: ((expectation ?? requirement)?.differences ?? []).map(
      ({ axis, expected, actual }) => `${axis}: expected ${expected}, found ${actual}`,
    ),
    trace: shownPath(trial.path),
    zero: story.zero,
    reasons: story.reasons.map(copied),
    findings: story.findings.map(copied),
    answers: story.answers.map(copied),
    attribution: copied(story.attribution),
    entries: story.entries.map((entry) => ({ ...entry, decides: [...entry.decides] })),
    spans: spansOf(parsed.records, zeroAt),
  };
}

const OUTCOMES: { readonly [O in TrialOutcome]: { readonly words: string; readonly tone: Tone } } = {
  "as-expected": { words: "as expected", tone: "good" },
  differs: { words: "differs from what was expected", tone: "bad" },
  "no-expectation": { words: "nothing was expected", tone: "plain" },
  unknown: { words: "the evidence does not decide", tone: "open" },
  invalid: { words: "invalid", tone: "open" },
  acquitted: { words: "canary not convicted", tone: "bad" },
  "kit-wrong": { words: "the law is breached: the kit is wrong", tone: "bad" },
};

function copied<T extends { readonly evidence: readonly number[] }>(one: T): T & { evidence: number[] } {
  return { ...one, evidence: [...one.evidence] };
}

/** Anchors for the trials of all runs, in their order: the trial's id or its file's name, numbered where it is taken. */
export function anchorsOf(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replaceAll(/[^\w.~-]+/g, "-") || "trial";
    let anchor = plain;
    for (let next = 2; taken.has(anchor); next++) anchor = `${plain}~${next}`;
    taken.add(anchor);
    return anchor;
  });
}
