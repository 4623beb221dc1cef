/**
 * What a reader should look at below the table: what is missing, invalid, undecided or not as expected, and findings.
 * Trials with the same words are listed together, and each list ends in the commands that look again. Pure.
 */
import type { Condition } from "../../experiments/conditions.ts";
import { type ExpectationMatch, explain } from "../../src/reconcile/index.ts";
import { wayOf } from "../../src/summarize/upgrade-ways.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { quoted } from "../base/quoted.ts";
import { shownPath } from "../base/shown-path.ts";
import { hasShortQuiet } from "../run/short-quiet.ts";
import { askedFile, askedTry } from "../stored/asked-file.ts";
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import { outcomeOf, type TrialOutcome, undecidedAxes } from "../stored/outcome.ts";

/** One entry: the words, the trials that they are about, and what to run. */
export type Entry = {
  readonly words: readonly string[];
  readonly trials: readonly string[];
  readonly commands: readonly string[];
};
export type Section = { readonly title: string; readonly entries: readonly Entry[] };

/** Most sentences about one trial; the verdict has them all. */
const REASONS_MAX = 5;

/** @param declared the experiment's conditions, whose own quiet interval need not be repeated in a command. */
export function attentionOf(run: JudgedRun, declared: readonly Condition[]): Section[] {
  const ofGates = run.trials.filter(({ verdict }) => verdict.validity.value === "invalid");
  const invalid = ofGates.filter((trial) => outcomeOf(trial) !== "as-expected");
  const meant = ofGates.filter((trial) => outcomeOf(trial) === "as-expected");
  const valid = run.trials.filter(({ verdict }) => verdict.validity.value === "valid");
  const unexpected = valid.filter((trial) => !FINE.includes(outcomeOf(trial)));
  const isCanary = ({ spec }: JudgedTrial) => spec?.canary === true;
  const again = (trial: JudgedTrial) => [judgeLine(trial), `again: ${repeatCommand(run, trial, declared)}`];
  const sections = [
    {
      title: "Not whole",
      entries: run.problems.map((problem) => ({ words: [problem], trials: [], commands: [] })),
    },
    {
      title: "Planned trials without a trace",
      entries: run.missing.map(({ trial, condition }) => ({
        words: [`${trial}  ${condition}`],
        trials: [],
        commands: [],
      })),
    },
    { title: "Invalid", entries: together(invalid, reasonsOf, again) },
    {
      title: "Invalid, as they were made to be",
      entries: together(meant, reasonsOf, (trial) => [judgeLine(trial)]),
    },
    { title: "Undecided, or not as expected", entries: together(unexpected, differencesOf, again) },
    { title: "Findings", entries: findingsOf(valid.filter((trial) => !isCanary(trial))) },
    {
      title: "Findings about canaries, which are broken on purpose",
      entries: findingsOf(valid.filter(isCanary)),
    },
  ];
  return sections.filter(({ entries }) => entries.length > 0);
}

/** Outcomes of a valid trial that need no look. */
const FINE: readonly TrialOutcome[] = ["as-expected", "no-expectation"];

function together(
  trials: readonly JudgedTrial[],
  wordsOf: (trial: JudgedTrial) => string[],
  commandsOf: (trial: JudgedTrial) => string[],
): Entry[] {
  const groups = Map.groupBy(trials, (trial) => JSON.stringify(wordsOf(trial)));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ words: wordsOf(first), trials: group.map(nameOf), commands: commandsOf(first) }];
  });
}

function nameOf({ verdict, path }: JudgedTrial): string {
  return `${verdict.trial ?? shownPath(path)}  ${verdict.condition ?? "(condition unreadable)"}`;
}

export function reasonsOf({ verdict, spec, expectation }: JudgedTrial): string[] {
  const made = spec?.expect?.validity === "invalid" ? (expectation?.differences ?? []) : [];
  const sentences = [...new Set(verdict.validity.reasons.map(explain)), ...made.map(differenceLine)];
  if (sentences.length <= REASONS_MAX) return sentences;
  return [...sentences.slice(0, REASONS_MAX), `… and ${sentences.length - REASONS_MAX} more reasons`];
}

export function differencesOf({ verdict, expectation, requirement, spec }: JudgedTrial): string[] {
  const open = undecidedAxes(verdict, new Set());
  return [
    ...(spec?.canary === true ? ["This canary had to be convicted and was not."] : []),
    ...((expectation ?? requirement)?.differences ?? []).map(differenceLine),
    ...(open.length === 0 ? [] : [`the evidence does not decide: ${open.join(", ")}`]),
  ];
}

function differenceLine({ axis, expected, actual }: ExpectationMatch["differences"][number]): string {
  return `${axis}: expected ${expected}, found ${actual}`;
}

/** Each code once, in the words of its first trial. */
function findingsOf(trials: readonly JudgedTrial[]): Entry[] {
  const found = new Map<string, { words: string; having: Set<JudgedTrial> }>();
  for (const trial of trials)
    for (const finding of trial.verdict.findings) {
      const entry = found.get(finding.code) ?? { words: explain(finding), having: new Set() };
      entry.having.add(trial);
      found.set(finding.code, entry);
    }
  return [...found].map(([code, { words, having }]) => {
    const [first] = [...having];
    const conditions = new Set([...having].map(({ verdict }) => verdict.condition ?? ""));
    const where = having.size === 1 ? "1 trial" : `${having.size} trials of ${conditions.size} conditions`;
    return {
      words: [`${code} (${where}): ${words}`],
      trials: [],
      commands: first === undefined ? [] : [judgeLine(first)],
    };
  });
}

function judgeLine({ path }: JudgedTrial): string {
  return `judge: npm run judge -- ${shownPath(path)}`;
}

function repeatCommand(
  run: JudgedRun,
  { spec, environment }: JudgedTrial,
  declared: readonly Condition[],
): string {
  if (spec === null) return "not known, the trace does not tell its condition";
  const ofUpgrade = wayOf(spec.condition);
  const condition = ofUpgrade?.condition ?? spec.condition;
  const own = declared.find(({ name }) => name === condition)?.factors;
  const commandLine = environment?.commandLine ?? [];
  const tried = askedTry(commandLine);
  if (tried !== null) return `npm run kit -- try ${tried.map(quoted).join(" ")} (folders were left out)`;
  const file = askedFile(commandLine);
  if (own === undefined)
    return file === null
      ? `not as it was: ${spec.experiment} no longer has this condition`
      : `npm run kit -- run ${file} --condition ${condition}`;
  const { quietMs, settleMs } = spec.factors;
  const isDeployed = environment?.mode === "deployed";
  const isHostOpen = isDeployed || run.host === null || run.host.kind === "none";
  return [
    ...commandOf(spec, {
      isDeployed,
      isOfUpgrade: ofUpgrade !== null,
      file,
      commandLine,
    }),
    // A set of an upgrade has its own.
    ...(isHostOpen || ofUpgrade !== null ? [] : [`--host ${run.host?.kind}`]),
    ...(own.quietMs === quietMs ? [] : [`--quiet-ms ${quietMs}`]),
    ...(own.quietMs !== quietMs && hasShortQuiet(spec) ? ["--allow-short-quiet"] : []),
    ...(own.settleMs === settleMs ? [] : [`--settle-ms ${settleMs}`]),
    ...(spec.loadPerSecond === 0 ? [] : [`--load ${spec.loadPerSecond}`]),
    `--condition ${condition}`,
  ].join(" ");
}

/** The command, with the options that were given it and that no trial's factors tell. */
function commandOf(
  { experiment, sets }: TrialSpec,
  {
    isDeployed,
    isOfUpgrade,
    file,
    commandLine,
  }: {
    readonly isDeployed: boolean;
    readonly isOfUpgrade: boolean;
    readonly file: string | null;
    readonly commandLine: readonly string[];
  },
): string[] {
  if (isOfUpgrade)
    return ["npm run upgrade --", ...given(commandLine, "--from", "--to"), `--experiment ${experiment}`];
  // A deployment has its host since it came up.
  if (isDeployed) return [`npm run deploy -- run ${experiment}`, ...given(commandLine, "--prefix")];
  if (file !== null) return [`npm run kit -- run ${file}`];
  return [`npm run kit -- run ${experiment}`, ...(sets === undefined ? [] : [`--set ${sets.before}`])];
}

/** Of these options those that the command was given, with their values. */
function given(commandLine: readonly string[], ...options: readonly string[]): string[] {
  return options.flatMap((option) => {
    const at = commandLine.indexOf(option);
    const value = at === -1 ? undefined : commandLine[at + 1];
    return value === undefined ? [] : [`${option} ${value}`];
  });
}
