/** Two runs side by side as text: what they ran on first, then what differs, then how the counts were compared. */
import { TIME_APART_MS, TIME_APART_SHARE } from "../../src/summarize/compare-runs.ts";
import { type Comparison, QUESTIONS } from "../../src/summarize/comparison.ts";
import type { Distribution, Tally } from "../../src/trace/counts.ts";
import { printableData } from "../base/printable.ts";
import { hostLines } from "./host-lines.ts";
import { NOTHING, secondsText } from "./numbers.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import { sentencesOf } from "./regressions.ts";
import { type Row, renderTextTable } from "./text-table.ts";
import { wrap } from "./wrap.ts";

/** Values stand below the name of their condition. */
const INDENT = 2;

type Condition = Comparison["conditions"][number];

const ASKED: ReadonlyMap<string, string> = new Map(QUESTIONS.map(({ key, question }) => [key, question]));

export function questionOf(key: string): string {
  return ASKED.get(key) ?? key;
}

export function renderComparison(compared: Comparison, page: Page = PLAIN_PAGE): string {
  const comparison = printableData(compared);
  const { paint } = page;
  const { runs, conditions } = comparison;
  const differing = conditions.filter(({ differs }) => differs);
  return [
    `run a: ${paint("bold", runs.a)}`,
    ...hostLines(comparison.hosts.a, comparison.caveats.a, page).map((line) => `  ${line}`),
    `run b: ${paint("bold", runs.b)}`,
    ...hostLines(comparison.hosts.b, comparison.caveats.b, page).map((line) => `  ${line}`),
    "",
    ...environmentLines(comparison, page),
    ...settingLines(comparison, page),
    ...onlyLines(comparison, page),
    ...(differing.length === 0 ? [] : [paint("bold", "Conditions that differ"), table(differing, page), ""]),
    ...regressionLines(differing, page),
    ...conclusion(comparison, differing.length, page),
  ].join("\n");
}

function environmentLines({ environment }: Comparison, { paint, width }: Page): string[] {
  if (environment.length === 0) return ["Both ran on the same versions and source.", ""];
  const columns = ["what they ran on", "run a", "run b"].map((title) => ({ title: paint("dim", title) }));
  const rows = environment.map(({ what, a, b }) => [what, a ?? NOTHING, b ?? NOTHING]);
  return [renderTextTable({ columns, rows, width, indent: INDENT }), ""];
}

/** The same setting differs in many conditions: each difference once, with how many conditions have it. */
function settingLines({ conditions }: Comparison, { paint, width }: Page): string[] {
  const found = Map.groupBy(
    conditions.flatMap(({ settings }) => settings),
    ({ what, a, b }) => JSON.stringify([what, a, b]),
  );
  if (found.size === 0)
    return conditions.length === 0 ? [] : ["Common conditions had the same settings.", ""];
  const columns = ["setting", "run a", "run b", "conditions"].map((title) => ({
    title: paint("dim", title),
  }));
  const rows = [...found.values()].flatMap((same): Row[] => {
    const [one] = same;
    return one === undefined ? [] : [[one.what, one.a ?? NOTHING, one.b ?? NOTHING, String(same.length)]];
  });
  return [
    paint("bold", "Settings that differ: what differs below may come of them"),
    renderTextTable({ columns, rows, width, indent: INDENT }),
    "",
  ];
}

function onlyLines({ only }: Comparison, { paint }: Page): string[] {
  return (["a", "b"] as const).flatMap((run) =>
    only[run].length === 0
      ? []
      : [paint("bold", `Valid trials in run ${run} only`), ...only[run].map((name) => `  ${name}`), ""],
  );
}

function table(conditions: readonly Condition[], { paint, width }: Page): string {
  const columns = ["question", "run a", "run b", "Fisher p", "corrected"].map((title) => ({
    title: paint("dim", title),
  }));
  const rows = conditions.flatMap((condition): Row[] => [
    "",
    paint("bold", condition.condition),
    ["valid trials (acts)", sizeText(condition, "a"), sizeText(condition, "b"), "", ""],
    ...condition.kinds.map((key) => [
      questionOf(key),
      tallyText(condition.answers[key]?.a ?? {}),
      tallyText(condition.answers[key]?.b ?? {}),
      "",
      paint("yellow", "new kind"),
    ]),
    ...condition.tests
      .filter(({ a, b }) => a.events * b.trials !== b.events * a.trials)
      .map(({ of, a, b, p, adjusted, significant, withheld }) => [
        of,
        `${a.events}/${a.trials}`,
        `${b.events}/${b.trials}`,
        p === null ? "withheld" : pText(p),
        withheld !== null
          ? "acts, not trials"
          : significant
            ? paint("yellow", pText(adjusted ?? 1))
            : pText(adjusted ?? 1),
      ]),
    ...condition.times
      .filter(({ differs }) => differs)
      .map(({ of, a, b }) => [timeName(of), timeText(a), timeText(b), "", paint("yellow", "time")]),
  ]);
  return renderTextTable({ columns, rows, width, indent: INDENT });
}

/** Each difference named in words; run a is the baseline. */
function regressionLines(conditions: readonly Condition[], { paint, width }: Page): string[] {
  const lines = conditions.flatMap((one) =>
    sentencesOf(one).flatMap((sentence) => wrap(`${one.condition}: ${sentence}`, width, "  ")),
  );
  return lines.length === 0 ? [] : [paint("bold", "Against the baseline, run a"), ...lines, ""];
}

function sizeText({ valid, acts }: Condition, run: "a" | "b"): string {
  return `${valid[run]} (${acts[run]})`;
}

/** `resetToActivationMs` as words. */
export function timeName(of: string): string {
  return `s ${of.replace(/Ms$/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
}

export function timeText({ min, p50, max }: Distribution): string {
  return `${secondsText(p50)} (${secondsText(min)}–${secondsText(max)})`;
}

function conclusion(comparison: Comparison, differing: number, { paint, width }: Page): string[] {
  const { compared, said } = comparedSentences(comparison, differing);
  return [...wrap(compared, width), paint(comparison.differs ? "yellow" : "green", said)];
}

/** How the runs were compared, and what came of it. */
export function comparedSentences(
  comparison: Comparison,
  differing: number,
): { readonly compared: string; readonly said: string } {
  const { conditions, tests, differs, only, commonOnly } = comparison;
  const compared =
    `${conditions.length} conditions compared by ${QUESTIONS.length} questions, their counts and their times. A condition ` +
    "differs where one run gave an answer that the other never gave (new kind); where Fisher's exact test, two-sided, " +
    `corrected after Holm over the ${tests.family} tests of this comparison that could have shown anything, is below ` +
    `${tests.level}; or where no trial of one run took as long as any of the other and the medians lie apart by ` +
    `${TIME_APART_MS / 1_000} s and ${TIME_APART_SHARE * 100} % (time). Trials that one act took together are one draw: ` +
    "no p-value is given for them. With few trials the test cannot tell.";
  const alone = only.a.length + only.b.length;
  const leftOut = commonOnly && alone > 0 ? ` ${alone} conditions of one run only were left out.` : "";
  const said = differs
    ? `The runs differ: in ${differing} of ${conditions.length} common conditions; ${alone} are in one run only.`
    : conditions.length === 0
      ? "The runs have no condition in common: nothing was compared."
      : `The runs do not differ.${leftOut}`;
  return { compared, said };
}

export function tallyText(tally: Tally): string {
  const lines = Object.entries(tally).map(([value, count]) => `${value} ×${count}`);
  return lines.length === 0 ? NOTHING : lines.join("\n");
}

export function pText(p: number): string {
  return p < 0.001 ? p.toExponential(1) : p.toFixed(3);
}
