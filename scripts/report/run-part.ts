/** One judged run as the page shows it. Pure: whoever calls it has read the traces. */
import type { Condition } from "../../experiments/conditions.ts";
import { explain } from "../../src/reconcile/index.ts";
import type { Notice, RunPart, Tone, TrialPart, UpgradePart } from "../../src/report/report-model.ts";
import type { Summary } from "../../src/summarize/summary.ts";
import type { Environment } from "../../src/trace/spec.ts";
import { conditionRows } from "../present/condition-rows.ts";
import { type Documented, documentedRows, documentedWords } from "../present/documented.ts";
import { safetyOf } from "../present/safety.ts";
import { SUBJECT_COLUMNS, subjectGroups } from "../present/subject-rows.ts";
import { summaryNotes } from "../present/summary-text.ts";
import { totalsOf } from "../present/totals.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import { acquittedCanaries, undecidedAxes } from "../stored/outcome.ts";
import { ANSWER_COLUMNS, answerGroups } from "./answer-groups.ts";
import { conditionPart } from "./condition-part.ts";
import { foundSentences } from "./found.ts";

type ToShow = {
  readonly run: JudgedRun;
  readonly summary: Summary;
  /** Of `run.trials`, in their order. */
  readonly trials: readonly TrialPart[];
  /** Null where it is no run of `upgrade`. */
  readonly upgrade: UpgradePart | null;
  /** The experiment's conditions, in its order. */
  readonly declared: readonly Condition[];
};

export function runPart({ run, summary, trials, upgrade, declared }: ToShow): RunPart {
  const rows = conditionRows(run, declared);
  const ofCondition = Map.groupBy(trials, ({ condition }) => condition);
  const summaries = new Map(summary.conditions.map((one) => [one.condition, one]));
  const valid = Map.groupBy(
    run.trials.filter(({ verdict }) => verdict.validity.value === "valid"),
    ({ verdict }) => verdict.condition ?? "",
  );
  const groupsOf = (canary: boolean) =>
    answerGroups(
      rows
        .filter((row) => row.canary === canary)
        .map(({ condition, tone }) => ({
          condition,
          tone,
          verdicts: (valid.get(condition) ?? []).map(({ verdict }) => verdict),
        })),
    );
  const [groups, canaryGroups] = [groupsOf(false), groupsOf(true)];
  const found = {
    ...{ summary, groups: groups.length },
    totals: totalsOf(run),
    acquitted: acquittedCanaries(run),
  };
  return {
    run: run.run,
    experiment: run.experiment,
    found: foundSentences(found),
    host: hostText(run),
    caveat: summary.caveat,
    versions: versionsOf(summary.environment),
    columns: [...ANSWER_COLUMNS],
    upgrade,
    safety: safetyOf(run),
    groups,
    canaryGroups,
    notices: noticesOf(run, trials),
    documented: documentedRows(run, declared).map((one) => ({
      subject: one.subject,
      says: one.says,
      source: `${one.version}, ${one.source}`,
      tone: TONES[one.value],
      seen: documentedWords(one),
      contradicting: one.contradicting.map(({ condition, words }) => `${condition}: ${words}`),
    })),
    conditions: rows.flatMap(({ condition, family, tone, remark }) => {
      const one = summaries.get(condition);
      const anchors = (ofCondition.get(condition) ?? []).map(({ anchor }) => anchor);
      return one === undefined ? [] : [conditionPart(one, { family, tone, remark, anchors })];
    }),
    subjects: {
      columns: [...SUBJECT_COLUMNS],
      groups: subjectGroups(run).map(({ levels, rows: own }) => ({
        levels,
        rows: own.map((row) => row.map(linesOf)),
      })),
    },
    notes: summaryNotes(summary),
    trials: [...trials],
  };
}

const TONES = {
  holds: "good",
  contradicted: "bad",
  "not-tested": "plain",
} as const satisfies Record<Documented["value"], Tone>;

function linesOf(text: string): string[] {
  return text.split("\n");
}

function hostText({ host }: JudgedRun): string {
  return host === null ? "unknown, no trace could be read" : `${host.kind} (${host.name} ${host.version})`;
}

/** What it ran on, value by value. */
function versionsOf(environment: Environment | null): RunPart["versions"] {
  if (environment === null) return [];
  const { mode, packages, node, platform, commit, dirty, compatibilityDate, model, seed, startedAt } =
    environment;
  const source = commit === null ? "not in a git checkout" : `${commit}${dirty === true ? ", changed" : ""}`;
  return [
    { what: "started", value: startedAt },
    { what: "where", value: mode },
    ...Object.entries(packages).map(([what, value]) => ({ what, value })),
    { what: "Node.js", value: node },
    { what: "platform", value: platform },
    { what: "source", value: source },
    { what: "compatibility date", value: compatibilityDate },
    { what: "model", value: model.id },
    { what: "seed", value: String(seed) },
    { what: "command", value: environment.commandLine.join(" ") },
  ];
}

/** What a reader should look at, by why. */
function noticesOf(run: JudgedRun, parts: readonly TrialPart[]): Notice[] {
  const pairs = run.trials.flatMap((trial, index) => {
    const part = parts[index];
    return part === undefined ? [] : [{ trial, part }];
  });
  const together = (wanted: typeof pairs, wordsOf: (pair: (typeof pairs)[number]) => string[]) =>
    [...Map.groupBy(wanted, (pair) => JSON.stringify(wordsOf(pair))).values()].flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      return [{ words: wordsOf(first), anchors: group.map(({ part }) => part.anchor) }];
    });
  const codes = (wanted: typeof pairs) =>
    [...new Set(wanted.flatMap(({ part }) => part.findings.map(({ code }) => code)))].map((code) => {
      const having = wanted.filter(({ part }) => part.findings.some((one) => one.code === code));
      const sentence = having[0]?.part.findings.find((one) => one.code === code)?.sentence ?? "";
      return { words: [`${code}: ${sentence}`], anchors: having.map(({ part }) => part.anchor) };
    });
  const invalid = pairs.filter(({ part }) => !part.valid);
  const valid = pairs.filter(({ part }) => part.valid);
  const notices: Notice[] = [
    { title: "Not whole", entries: run.problems.map((words) => ({ words: [words], anchors: [] })) },
    {
      title: "Planned trials without a trace",
      entries: run.missing.map(({ trial, condition }) => ({
        words: [`${trial}  ${condition}`],
        anchors: [],
      })),
    },
    {
      title: "Invalid trials, and why",
      entries: together(invalid, ({ trial, part }) => [
        ...new Set(trial.verdict.validity.reasons.map(explain)),
        ...(trial.spec?.expect?.validity === "invalid" && part.tone === "good"
          ? ["It was made to be invalid for this reason."]
          : []),
      ]),
    },
    {
      title: "Undecided, or not as expected",
      entries: together(
        valid.filter(({ part }) => part.tone === "bad" || part.tone === "open"),
        ({ trial, part }) => {
          const open = undecidedAxes(trial.verdict, new Set());
          return [
            part.outcome,
            ...part.differences,
            ...(open.length === 0 ? [] : [`not decided: ${open.join(", ")}`]),
          ];
        },
      ),
    },
    { title: "Findings", entries: codes(valid.filter(({ part }) => !part.canary)) },
    {
      title: "Findings about canaries, which are broken on purpose",
      entries: codes(valid.filter(({ part }) => part.canary)),
    },
  ];
  return notices.filter(({ entries }) => entries.length > 0);
}
