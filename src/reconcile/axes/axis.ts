/**
 * What an axis is: one question that a verdict answers by itself, in one file. The file brings everything that other code
 * needs to know of it, so that verdict, expectation, rows, summary and comparison go through the table of axes
 * (`index.ts`) and never ask which axis they have.
 */
import { z } from "zod";
import { byCodeUnit } from "../../trace/by-code-unit.ts";
import type { Rate, Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import type { TrialSpec } from "../../trace/spec.ts";
import type { CaseFile } from "../case-file.ts";
import type { Finding } from "../finding.ts";

export type Axis<A> = {
  /** Its key in a verdict. */
  readonly name: string;
  /** The question, in a sentence. */
  readonly asks: string;
  /** The shape of its answer; the words in it carry their meanings (`words.ts`). */
  readonly schema: z.ZodType;
  /** Every code that it gives as a reason, with the sentence for it. */
  readonly codes: Readonly<Record<string, string>>;
  /** What is said where the trace is damaged or the check failed. It never passes. */
  readonly undecided: (code: string, trace: UndecidedTrace) => A;
  /** `judged` has the answers of the other axes, as far as this one rests on them. */
  readonly judge: (file: CaseFile, judged: never) => A;
  /** The answer as a reader is told it, a line for each of its parts. */
  readonly said: (answer: A) => readonly Said[];
  /** Findings that go with an answer. */
  readonly remarks?: (answer: A) => Finding[];
  /** What an experiment may expect of it, by the key in its expectation. */
  readonly expected: Readonly<Record<string, Expected<A>>>;
  /** Columns of the result table. */
  readonly columns: readonly Column<A>[];
  /** What stands below a condition's columns, over its valid trials: for answers that are more than a word. */
  readonly note?: (answers: readonly A[]) => string | readonly string[];
  /** What a summary counts, by the key in the summary. */
  readonly counted: Readonly<Record<string, Counted<A>>>;
};

/** One part of an answer: its words, the code of the sentence behind them, the records that decide it. */
type Said = {
  readonly words: string;
  /** Null where the words say it all. */
  readonly code: string | null;
  readonly evidence: readonly number[];
};

/** What is left of a trace on which no check ran to its end. */
type UndecidedTrace = {
  readonly records: readonly JournalRecord[];
  readonly spec: TrialSpec | null;
};

export type Expected<A> = {
  /** As the experiment's author writes it: a word, yes or no, a count, or several words. */
  readonly schema: z.ZodType<string | number | boolean | readonly string[]>;
  /** The words of an answer that are held against the expected ones. */
  readonly words: (answer: A) => readonly string[];
};

export type Column<A> = {
  readonly title: string;
  /** Times stand behind the words of all axes. */
  readonly kind: "words" | "time";
  /** What stands in the cell for the valid trials of a condition. */
  readonly cell: (answers: readonly A[]) => string;
};

/** Counts over the valid trials of one condition. */
export type Counter<A> = {
  /** How often each word occurs. */
  readonly tally: (words: (answer: A) => string | readonly string[]) => Tally;
  readonly sum: (value: (answer: A) => number) => number;
  /** In how many of those that `among` picks `event` was seen. */
  readonly rate: (event: (answer: A) => boolean, among?: (answer: A) => boolean) => Rate;
};

/** A part of a summary, as `counted` makes it: whoever walks the table gives each function its own entry's part. */
export type Counted<A> = {
  readonly schema: z.ZodType;
  readonly of: (count: Counter<A>) => unknown;
  readonly asked: Asked<never> | null;
  /** Whether a summary lists the answers under each condition: for those that no figure shows. */
  readonly listed: boolean;
  readonly rates: Readonly<Record<string, (part: never) => Rate>>;
  readonly figures: readonly Figure<never>[];
};

/** For a question with answers that runs are compared by. */
type Asked<Part> = {
  readonly question: string;
  /** How often each answer was given. */
  readonly answers: (part: Part) => Tally;
  /** Answers that need no remark; null when none ever does. */
  readonly usual: readonly string[] | null;
};
/** A column of a summary's first table. */
type Figure<Part> = { readonly title: string; readonly of: (part: Part) => Rate | string };

/** One part of a summary: its schema, how it is counted, what runs are compared by, how it is shown. */
export function counted<A, S extends z.ZodType, R extends string = never>(entry: {
  readonly schema: S;
  readonly of: (count: Counter<A>) => z.infer<S>;
  readonly asked?: Asked<z.infer<S>>;
  readonly listed?: boolean;
  /** Rates that runs are compared by, by the name of what is counted. */
  readonly rates?: Readonly<Record<R, (part: z.infer<S>) => Rate>>;
  readonly figures?: readonly Figure<z.infer<S>>[];
}) {
  const {
    asked = null,
    listed = false,
    rates = {} as Readonly<Record<R, (part: z.infer<S>) => Rate>>,
    figures = [],
  } = entry;
  return { schema: entry.schema, of: entry.of, asked, listed, rates, figures };
}

/** One value when all agree; else each with how often it was seen, the most frequent first, a line each. */
export function agreed(values: readonly string[]): string {
  const [first, ...others] = Object.entries(tallyOf(values));
  if (first === undefined) return NOTHING;
  if (others.length === 0) return first[0];
  return [first, ...others].map(([value, count]) => `${value} ×${count}`).join("\n");
}

/** The same on one line, for a remark below a row. */
export function agreedInLine(values: readonly string[]): string {
  return agreed(values).split("\n").join(" | ");
}

/** How often each word occurs, the most frequent first. */
export function tallyOf(words: readonly string[]): Tally {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, many], [b, more]) => more - many || byCodeUnit(a, b)));
}

/** Each word once, a line each. */
export function wordLines(words: readonly string[]): string {
  return [...new Set(words)].sort().join("\n") || NOTHING;
}

export const NOTHING = "–";

/** Words by which an axis says that the evidence does not decide it. */
export function isOpen(word: string): boolean {
  return word === "unknown" || word === "indistinguishable";
}

/** The line of an axis that answers in one word. */
export function saidWord({
  value,
  code,
  evidence,
}: { readonly value: string } & Omit<Said, "words">): Said[] {
  return [{ words: value, code, evidence }];
}

/** The column of an axis that answers in one word. */
export function wordColumn<A extends { readonly value: string }>(title: string): Column<A> {
  return { title, kind: "words", cell: (answers) => agreed(answers.map(({ value }) => value)) };
}

/** What is expected of an axis that answers in one word. */
export function expectedWord<S extends z.ZodType<string>>(schema: S) {
  return { schema, words: ({ value }: { readonly value: string }) => [value] };
}

/** What is expected of an axis that answers yes or no. */
export const expectedYesNo = {
  schema: z.boolean(),
  words: ({ value }: { readonly value: string }) => [value],
};

/** Codes that several axes give. */
export const SHARED_CODES = {
  "checker-failed": "The check of this axis failed.",
  "trial-stopped": "The trial stopped before this could be decided.",
  "reset-not-delivered": "The reset cannot be shown to have taken the host away.",
  "subject.activated": "An activation did not report itself.",
  "no-host-loss": "No host was lost.",
  "log-not-offered": "The subject keeps no log, and nothing else shows that the session is there.",
  "nothing-owed": "No work was owed.",
  "model-unrecorded": "The agent asks its model itself, and no record tells what it asks.",
} as const;
