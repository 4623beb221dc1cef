/** What an upgrade changes, in sentences that a text and a report page lay out: each part, what is stored, and may I upgrade. Pure. */
import type { KnownFinding } from "../../experiments/known-findings.ts";
import { crashesInWords } from "../../src/reconcile/axes/stuck.ts";
import { explain } from "../../src/reconcile/index.ts";
import type { UpgradePart } from "../../src/report/report-model.ts";
import { findingsOf, signQuestion, storageOf, storedQuestions } from "../../src/summarize/compare-upgrade.ts";
import { QUESTIONS } from "../../src/summarize/comparison.ts";
import type { Sign, UpgradeComparison, UpgradeFinding } from "../../src/summarize/upgrade-comparison.ts";
import type { Tally } from "../../src/trace/counts.ts";
import { questionOf } from "./comparison-text.ts";
import { howMany, secondsText } from "./numbers.ts";
import { sentencesOf } from "./regressions.ts";
import { storedChangeSentences } from "./stored-changes-text.ts";

type Answers = UpgradeComparison["answers"];
type Condition = UpgradeComparison["comparisons"]["upgrade"]["conditions"][number];

/** What each part of a comparison asks. */
const PARTS = {
  upgrade: "the new code by itself, against the old code by itself",
  inFlight: "sessions in flight, against the new code's own sessions",
  back: "back to the old code with sessions in flight, against the old code's own sessions",
} as const satisfies Record<keyof Answers, string>;

const STORED = {
  upgrade: "by the new code itself, against the old code's own",
  inFlight: "after an upgrade in flight, against what the new code makes itself",
  back: "after the way back, against what the old code makes itself",
} as const satisfies Record<keyof Answers, string>;

/** Where no condition has a valid trial on both sides. */
const NO_LINES: Readonly<Record<Answers["upgrade"], string>> = {
  same: "nothing to compare",
  differs: "nothing to compare",
  unreadable: "≠ schema failure, and no trial is valid",
  unknown: "no trial is valid: npm run judge says why",
  "not-measured": "not measured",
};

export function upgradePart(comparison: UpgradeComparison, known: readonly KnownFinding[]): UpgradePart {
  const { sets, environment, comparisons, answers, storage } = comparison;
  const isKnown = (finding: UpgradeFinding) => known.find((one) => covers(one, finding));
  const keys = Object.keys(PARTS) as (keyof Answers)[];
  return {
    ...sets,
    environment: environment.map(({ what, a, b }) => ({ what, a: short(a), b: short(b) })),
    caveats: caveatsOf(comparison),
    parts: keys.map((of) => {
      const ordinary = comparisons[of].conditions.filter(({ canary }) => !canary);
      return {
        title: PARTS[of],
        conditions: ordinary.map((one) => conditionOf(one, of, comparison, isKnown)),
        remarks: [
          ...(ordinary.length === 0 ? [NO_LINES[answers[of]]] : []),
          ...(answers[of] === "unreadable"
            ? ["schema failure: the code cannot read what the other one left"]
            : []),
          ...(of === "upgrade" ? [] : comparison.refusals[of].map((text) => `the code said: ${text}`)),
        ],
      };
    }),
    stored: keys.map((of) => ({
      title: STORED[of],
      subjects: answers[of] === "not-measured" ? [] : storedChangeSentences(storage[of]),
      remarks: [
        ...(answers[of] === "not-measured"
          ? ["not measured"]
          : storage[of].length === 0
            ? ["no difference"]
            : []),
        ...storage[of].flatMap((change) =>
          knownSentences(
            storedQuestions(change),
            (question) => isKnown({ of, condition: storageOf(change.subject), question }),
            `${change.subject}, `,
          ),
        ),
      ],
    })),
    stale: staleFindings(comparison, known).map(
      (one) =>
        `Stale: '${one.question}' of ${one.condition} is listed in experiments/known-findings.ts and was not found.`,
    ),
    advice: adviceOf(comparison),
  };
}

function conditionOf(
  one: Condition,
  of: keyof Answers,
  { signs, crashLoops }: UpgradeComparison,
  isKnown: (finding: UpgradeFinding) => KnownFinding | undefined,
): UpgradePart["parts"][number]["conditions"][number] {
  const { condition } = one;
  const signsHere = signs[of].filter((sign) => sign.condition === condition);
  return {
    condition,
    differs: one.differs || signsHere.length > 0,
    answers: shownAnswers(one.answers),
    sentences: [
      ...differences(one),
      ...signsHere.map(({ finding }) => lossText(finding)),
      ...crashLoops[of]
        .filter((loop) => loop.condition === condition)
        .map(({ crashes }) => `crash loop: ${crashesInWords(crashes)}`),
      ...timesSentence(one.times),
      ...knownSentences(
        [...one.kinds, ...signsHere.map(({ finding }) => signQuestion(finding.code))],
        (question) => isKnown({ of, condition, question }),
      ),
    ],
  };
}

/** The findings that are listed, each reason once; those that are not are named, where some are. */
function knownSentences(
  questions: readonly string[],
  known: (question: string) => KnownFinding | undefined,
  of = "",
): string[] {
  const reasons = new Set(questions.flatMap((question) => known(question)?.because ?? []));
  if (reasons.size === 0) return [];
  const others = questions.filter((question) => known(question) === undefined).map(inWords);
  return [
    ...[...reasons].map((because) => `known: ${of}${because}`),
    ...(others.length === 0 ? [] : [`not listed as known: ${of}${others.join(", ")}`]),
  ];
}

/** `execution resumed`, and what is no question of a comparison as it is. */
function inWords(question: string): string {
  return questionOf(question).replace(/\?$/, "");
}

/** What a result under either set is worth, once. */
function caveatsOf({ comparisons }: UpgradeComparison): string[] {
  const { a, b } = comparisons.upgrade.caveats;
  return [...new Set([a, b].filter((caveat) => caveat !== null))];
}

/** May I upgrade, with sessions in flight, and back? */
function adviceOf({ sets, answers, comparisons, signs }: UpgradeComparison): string {
  const trials = Object.values(comparisons).flatMap(({ conditions }) =>
    conditions.filter(({ canary }) => !canary).map(({ condition }) => condition),
  );
  const count = new Set(trials).size;
  const isOfRowsAlone = (of: keyof Answers) =>
    answers[of] === "differs" && !comparisons[of].differs && signs[of].length === 0;
  const said = (of: keyof Answers, texts: Readonly<Record<Answers[typeof of] | "rows", string>>) =>
    texts[isOfRowsAlone(of) ? "rows" : answers[of]];
  return [
    `May I upgrade from ${sets.from} to ${sets.to}?`,
    said("upgrade", {
      same: "The new code by itself does as the old code does.",
      differs: "The new code by itself does not do as the old code does: read what differs first.",
      rows: "The new code by itself answers as the old code does, and rows that it stored are gone or cannot be decoded: read which first.",
      unreadable: "The new code by itself cannot read what it wrote itself.",
      unknown:
        "Whether the new code by itself does as the old code does was not decided: some trials are invalid.",
      "not-measured": "The new code by itself was not measured.",
    }),
    said("inFlight", {
      same: "Sessions in flight are recovered as its own are: yes, with sessions in flight.",
      differs: "Sessions in flight are not recovered as its own are: no, not with sessions in flight.",
      rows: "Sessions in flight are answered as its own are, and rows that the old code had stored are gone or cannot be decoded: no, not unless nobody needs those.",
      unreadable:
        "The new code cannot read what the old code left: no, neither with sessions in flight nor with stored ones.",
      unknown: "Whether sessions in flight are recovered was not decided: do not rely on it.",
      "not-measured": "Sessions in flight were not measured.",
    }),
    said("back", {
      same: "The way back was open: the old code recovered what the new code had left.",
      differs:
        "The way back is not open: the old code did not recover what the new code had left as it does its own.",
      rows: "The old code answers what the new code had left as it does its own, and rows are gone or cannot be decoded: it is no way back unless nobody needs those.",
      unreadable: "There is no way back: the old code cannot read what the new code left.",
      unknown: "Whether the way back is open was not decided.",
      "not-measured": "The way back was not measured.",
    }),
    `This is about ${howMany(count, "condition")} with a scripted model on this machine; what was not run was not looked at.`,
  ].join(" ");
}

/** Known findings whose condition was measured and that were not found. */
export function staleFindings(comparison: UpgradeComparison, known: readonly KnownFinding[]): KnownFinding[] {
  const found = findingsOf(comparison);
  return known.filter(
    (one) =>
      measuredIn(comparison, one.of).some((condition) => one.condition.test(condition)) &&
      !found.some((finding) => covers(one, finding)),
  );
}

/** Conditions that have an answer, and the storage that was read with them. */
function measuredIn({ comparisons }: UpgradeComparison, of: keyof Answers): string[] {
  const measured = comparisons[of].conditions.filter(({ canary }) => !canary);
  const subjects = new Set(measured.map(({ condition }) => condition.split("/")[0] ?? ""));
  return [...measured.map(({ condition }) => condition), ...[...subjects].map(storageOf)];
}

function covers(known: KnownFinding, { of, condition, question }: UpgradeFinding): boolean {
  return known.of === of && known.question === question && known.condition.test(condition);
}

/** What both sides said to the questions that a reader asks first. */
function shownAnswers(answers: Readonly<Record<string, { readonly a: Tally; readonly b: Tally }>>): string {
  return QUESTIONS.flatMap(({ key }) => {
    const { a, b } = answers[key] ?? { a: {}, b: {} };
    const [before, after] = [Object.keys(a).join("|"), Object.keys(b).join("|")];
    if (!FIRST_ASKED.has(key)) return [];
    return [before === after ? before : `${before || "none"} → ${after || "none"}`];
  }).join(" · ");
}

/** Of a process that the kit starts again there is no time until it is back. */
const TIMES: Readonly<Record<string, string>> = {
  resetToActivationMs: "back",
  resetToProgressMs: "went on",
  resetToSettledMs: "settled",
};

const FIRST_ASKED: ReadonlySet<string> = new Set(["session", "execution", "effects", "flags", "stuck"]);

/** What each side answered to a question that they answer differently; then what counts and times show. */
function differences({ kinds, ...one }: Condition): string[] {
  const answered = kinds.map((key) => {
    const { a, b } = one.answers[key] ?? { a: {}, b: {} };
    const question = questionOf(key);
    return `${question}${question.endsWith("?") ? "" : ":"} ${counted(a)} → ${counted(b)}`;
  });
  return [...answered, ...sentencesOf({ ...one, kinds: [] })];
}

/** What an upgrade's reader calls these; the others say it themselves. */
const LOSSES: Readonly<Record<string, string>> = {
  "known-operation-accepted-as-new":
    "the accepted prompt: handed in again under its id, it was taken as new work",
  "marker-gone": "the mark that had been stored beside the session",
};

function lossText(finding: Sign["finding"]): string {
  return `lost: ${LOSSES[finding.code] ?? explain(finding)}`;
}

/** With how often, where an answer came more than once. */
function counted(answers: Tally): string {
  const said = Object.entries(answers).map(([answer, times]) =>
    times === 1 ? answer : `${answer} ×${times}`,
  );
  return said.length === 0 ? "no answer" : said.join(" | ");
}

/** How long it took from the reset, on both sides, in medians; nothing where nothing was timed. */
function timesSentence(times: Condition["times"]): string[] {
  const shown = times.flatMap(({ of, a, b }) => {
    const what = TIMES[of];
    if (what === undefined || (a.p50 === null && b.p50 === null)) return [];
    return [`${what} after ${secondsText(a.p50)} → ${secondsText(b.p50)} s`];
  });
  return shown.length === 0 ? [] : [shown.join(" · ")];
}

/** Hashes by their beginning. */
function short(value: string | null): string {
  if (value === null) return "none";
  return /^[0-9a-f]{40,}$/.test(value) ? value.slice(0, 12) : value;
}
