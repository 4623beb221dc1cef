/**
 * What a report page shows, as data: everything is computed before the page has it, so that the page lays out and counts
 * nothing. It crosses into the browser inside of the file, and is parsed there.
 *
 * Leaves to others: making it from judged runs (`scripts/report`), showing it (`page/`).
 */
import { z } from "zod";
import { Distribution } from "../trace/counts.ts";
import { Count } from "../trace/ids.ts";

/** A text in lines. */
const Lines = z.array(z.string());
const Seqs = z.array(z.number().int().min(1));

export const LANES = ["controller", "model", "subject", "ledger", "runner"] as const;
const Lane = z.enum(LANES);
export const KINDS = ["loss", "life", "effect", "no-effect", "problem", "plain"] as const;
const Kind = z.enum(KINDS);
export const SPANS = ["reset", "quiet", "hold", "withheld"] as const;

/** A stretch of time between two records. */
export const Span = z.strictObject({
  span: z.enum(SPANS),
  lane: Lane,
  fromMs: z.number(),
  toMs: z.number(),
  from: z.number().int().min(1),
  /** The record that ends it; null where none does, and it reaches to the trial's last. */
  to: z.number().int().min(1).nullable(),
  text: z.string(),
});
export type Span = z.infer<typeof Span>;

export const Entry = z.strictObject({
  seq: z.number().int().min(1),
  /** From the trial's zero, on the journal's clock. */
  sinceMs: z.number(),
  lane: Lane,
  generation: z.number().int().nullable(),
  kind: Kind,
  text: z.string(),
  matters: z.boolean(),
  decides: z.array(z.string()),
});
export type Entry = z.infer<typeof Entry>;

const Answered = z.strictObject({
  axis: z.string(),
  words: z.string(),
  why: z.string().nullable(),
  evidence: Seqs,
});
const Remark = z.strictObject({ code: z.string(), sentence: z.string(), evidence: Seqs });

/** How a trial or a condition came out, for whoever paints it. */
const Tone = z.enum(["good", "bad", "open", "plain"]);
export type Tone = z.infer<typeof Tone>;

export const TrialPart = z.strictObject({
  /** Unique in the report: `#<anchor>` leads to the trial, `#<anchor>/<seq>` to one of its records. */
  anchor: z.string().min(1),
  trial: z.string(),
  condition: z.string(),
  canary: z.boolean(),
  valid: z.boolean(),
  outcome: z.string(),
  tone: Tone,
  /** Where it differs from what was expected, in words. */
  differences: z.array(z.string()),
  trace: z.string(),
  zero: z.enum(["first reset", "start"]),
  reasons: z.array(Remark),
  findings: z.array(Remark),
  answers: z.array(Answered),
  attribution: Answered,
  entries: z.array(Entry),
  spans: z.array(Span),
});
export type TrialPart = z.infer<typeof TrialPart>;

/** One of the three answers, counted over a condition's valid trials. */
const Counted = z.strictObject({
  answers: z.array(z.strictObject({ words: z.string(), trials: Count })),
  /** What a rate is worth, a line each: the count, its interval or bound, the acts behind it. */
  rates: z.array(z.strictObject({ of: z.string(), lines: z.array(z.string()) })),
  /** What else is counted, such as attempts. */
  counts: z.array(z.string()),
});
export type Counted = z.infer<typeof Counted>;

const Time = z.strictObject({ of: z.string(), distribution: Distribution });

export const ConditionPart = z.strictObject({
  condition: z.string(),
  family: z.string(),
  canary: z.boolean(),
  tone: Tone,
  /** How many of the trials are valid, and what became of the others. */
  remark: z.string(),
  trials: Count,
  valid: Count,
  resets: Count,
  /** Acts that performed them: what one process reset took away together is one. */
  acts: Count,
  session: Counted,
  execution: Counted,
  effects: Counted,
  times: z.array(Time),
  anchors: z.array(z.string()),
});
export type ConditionPart = z.infer<typeof ConditionPart>;

/** Conditions whose valid trials gave the same answers. */
const AnswerGroup = z.strictObject({
  /** In the order of the columns: every answer that was given, each once. */
  answers: z.array(z.array(z.string())),
  conditions: z.array(z.string()),
  trials: Count,
  tone: Tone,
});
export type AnswerGroup = z.infer<typeof AnswerGroup>;

const Notice = z.strictObject({
  title: z.string(),
  entries: z.array(z.strictObject({ words: z.array(z.string()), anchors: z.array(z.string()) })),
});
export type Notice = z.infer<typeof Notice>;

const Different = z.strictObject({ what: z.string(), a: z.string(), b: z.string() });

/** What a run of `upgrade` comes to: each way against the one with the same code, what is stored, and the answer. */
export const UpgradePart = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** What the two sets come to, where they differ. */
  environment: z.array(Different),
  /** What a result is worth. */
  caveats: z.array(z.string()),
  parts: z.array(
    z.strictObject({
      title: z.string(),
      conditions: z.array(
        z.strictObject({
          condition: z.string(),
          differs: z.boolean(),
          answers: z.string(),
          sentences: z.array(z.string()),
        }),
      ),
      remarks: z.array(z.string()),
    }),
  ),
  stored: z.array(
    z.strictObject({
      title: z.string(),
      subjects: z.array(z.strictObject({ subjects: z.string(), sentences: z.array(z.string()) })),
      remarks: z.array(z.string()),
    }),
  ),
  /** Known findings that were not found. */
  stale: z.array(z.string()),
  /** May I upgrade, with sessions in flight, and back? */
  advice: z.string(),
});
export type UpgradePart = z.infer<typeof UpgradePart>;

/** "Is my tool safe?": what a run of a user's own Worker comes to for whoever wrote the tool. */
export const SafetyPart = z.strictObject({
  /** Class and Worker. */
  subject: z.string(),
  question: z.string(),
  /** `broken`: some invariant that was required did not hold. `unknown`: nothing was lost, or a trial is not valid. */
  answer: z.enum(["kept", "broken", "unknown"]),
  /** The answer in words. */
  sentence: z.string(),
  /** Of those that break it the condition that takes least; null where none does. */
  smallest: z.strictObject({ condition: z.string(), trial: z.string() }).nullable(),
  /** What would have prevented it there, as far as that trial shows. */
  prevention: z.array(z.string()),
  /** Each change outside by its name: how many trials made more effects than intended, or claimed one that is not there. */
  actions: z.array(
    z.strictObject({ action: z.string(), valid: Count, duplicate: Count, lost: Count, unresolved: Count }),
  ),
  /** What was required, and in how many trials it held and did not. */
  required: z.array(z.strictObject({ invariant: z.string(), title: z.string(), held: Count, broken: Count })),
  /** What nobody may conclude from it. */
  notProven: z.array(z.string()),
});
export type SafetyPart = z.infer<typeof SafetyPart>;

export const RunPart = z.strictObject({
  run: z.string(),
  experiment: z.string().nullable(),
  /** What was found, a sentence each. */
  found: z.array(z.string()),
  host: z.string(),
  /** What a result on this host is worth; null where nothing limits it. */
  caveat: z.string().nullable(),
  versions: z.array(z.strictObject({ what: z.string(), value: z.string() })),
  columns: z.array(z.string()),
  /** Null where the run is none of `upgrade`, or not whole. */
  upgrade: UpgradePart.nullable(),
  /** Null where the subject is the kit's. */
  safety: SafetyPart.nullable(),
  groups: z.array(AnswerGroup),
  canaryGroups: z.array(AnswerGroup),
  notices: z.array(Notice),
  /** What each subject's documentation promises, and what was seen of it. */
  documented: z.array(
    z.strictObject({
      subject: z.string(),
      says: z.string(),
      source: z.string(),
      tone: Tone,
      seen: z.string(),
      contradicting: z.array(z.string()),
    }),
  ),
  conditions: z.array(ConditionPart),
  subjects: z.strictObject({
    columns: z.array(z.string()),
    groups: z.array(z.strictObject({ levels: z.string(), rows: z.array(z.array(Lines)) })),
  }),
  /** What a reader must know before believing a number. */
  notes: z.array(z.string()),
  trials: z.array(TrialPart),
});
export type RunPart = z.infer<typeof RunPart>;

export const ComparisonPart = z.strictObject({
  differs: z.boolean(),
  /** The conclusion, then how it was come to. */
  sentences: z.array(z.string()),
  environment: z.array(Different),
  settings: z.array(z.strictObject({ ...Different.shape, conditions: Count })),
  only: z.strictObject({ a: z.array(z.string()), b: z.array(z.string()) }),
  conditions: z.array(
    z.strictObject({
      condition: z.string(),
      rows: z.array(z.strictObject({ what: z.string(), a: Lines, b: Lines, note: z.string() })),
    }),
  ),
});
export type ComparisonPart = z.infer<typeof ComparisonPart>;

export const ReportModel = z.strictObject({
  /** One run, or two that are compared. */
  runs: z.array(RunPart).min(1).max(2),
  comparison: ComparisonPart.nullable(),
});
export type ReportModel = z.infer<typeof ReportModel>;
