/**
 * A summary as text: what ran, the three answers by condition with what their counts are worth, then times and usage,
 * then what a reader must know before believing a number.
 */
import { type ConditionSummary, countedParts, type Summary } from "../../src/summarize/summary.ts";
import type { Distribution, Rate, Tally } from "../../src/trace/counts.ts";
import { printableData } from "../base/printable.ts";
import { hostLines } from "./host-lines.ts";
import { NOTHING, rateText, secondsText, signedText } from "./numbers.ts";
import { type Page, PLAIN_PAGE } from "./page.ts";
import type { Paint } from "./paint.ts";
import { type Column, type Row, renderTextTable } from "./text-table.ts";
import { wrap } from "./wrap.ts";

/** Values stand below the name of their condition. */
const INDENT = 2;

/** What the axes have to show, with the condition that it is read from. Questions with answers stand before other counts. */
const FIGURES = countedParts()
  .toSorted(([, a], [, b]) => Number(a.asked === null) - Number(b.asked === null))
  .flatMap(([key, { figures }]) =>
    figures.map(({ title, of }) => ({
      title,
      of: (one: ConditionSummary): Rate | string => of(one[key as keyof ConditionSummary] as never),
    })),
  );
const ANSWERS = ["valid/\ntrials", "resets\n(acts)", ...FIGURES.map(({ title }) => title)];

const TIMES = [
  "s from reset until",
  "min",
  "p50",
  "p90",
  "p99",
  "max",
  "seen",
  "censored",
  "undated",
] as const;

export function renderSummary(counted: Summary, page: Page = PLAIN_PAGE): string {
  const summary = printableData(counted);
  const { conditions } = summary;
  return [
    ...heading(summary, page),
    ...(conditions.length === 0
      ? []
      : [answersTable(conditions, page), "", timesTable(conditions, page), ""]),
    ...summaryNotes(summary).flatMap((note) => wrap(note, page.width)),
  ].join("\n");
}

function heading({ run, experiment, host, caveat, totals }: Summary, page: Page): string[] {
  const parts = [`summary of run ${page.paint("bold", run)}`];
  if (experiment !== null) parts.push(`experiment ${experiment}`);
  const missing = totals.missing === 0 ? "" : `, ${totals.missing} without a trace`;
  return [
    parts.join(" · "),
    `${totals.trials} trials: ${totals.valid} valid, ${totals.invalid} invalid${missing} · ` +
      `${totals.resets} resets by ${totals.clusters} acts`,
    ...hostLines(host, caveat, page),
    "",
  ];
}

function answersTable(conditions: readonly ConditionSummary[], { paint, width }: Page): string {
  const rows = conditions.flatMap((one): Row[] => [
    ...named(one, paint),
    [
      `${one.valid}/${one.trials}`,
      one.resets.performed === 0 ? NOTHING : `${one.resets.performed}\n(${one.resets.clusters})`,
      ...FIGURES.map(({ of }) => figureText(of(one))),
    ],
    ...remarks(one).map((remark) => `  ${remark}`),
  ]);
  const columns = ANSWERS.map((title) => ({ title: paint("dim", title) }));
  return renderTextTable({ columns, rows, width, gap: 1, indent: INDENT });
}

/** What the cells cannot show: why trials are invalid, which are undecided, what the other answers were. */
function remarks(one: ConditionSummary): string[] {
  const { invalid, undecided, transcript } = one;
  const lines: string[] = [];
  const listed = (tally: Tally) =>
    Object.entries(tally)
      .map(([word, count]) => `${word} ×${count}`)
      .join(", ");
  if (Object.keys(invalid).length > 0) lines.push(`invalid: ${listed(invalid)}`);
  if (undecided > 0) lines.push(`effects undecided: ${undecided}`);
  for (const [key, { asked, listed: always }] of countedParts()) {
    if (asked === null || (asked.usual === null && !always)) continue;
    const { usual } = asked;
    const answers = asked.answers(one[key as keyof ConditionSummary] as never);
    if (Object.keys(answers).some((value) => usual === null || !usual.includes(value)))
      lines.push(`${key}: ${listed(answers)}`);
  }
  if (transcript.trialsAffected > 0)
    lines.push(
      `session log: ${transcript.missing} records missing, ${transcript.damaged} changed, in ${transcript.trialsAffected} trials`,
    );
  return lines;
}

function figureText(figure: Rate | string): string {
  return typeof figure === "string" ? figure : rateText(figure);
}

function timesTable(conditions: readonly ConditionSummary[], { paint, width }: Page): string {
  const rows = conditions.flatMap((one): Row[] => {
    const { resetToActivationMs, resetToProgressMs, resetToSettledMs, wokeLateMs } = one.timings;
    const times = [
      timeRow("activation", resetToActivationMs),
      timeRow("first progress", resetToProgressMs),
      timeRow("settled", resetToSettledMs),
      timeRow("(woke later than due)", wokeLateMs),
    ].filter((row) => row !== null);
    const usage = usageLine(one);
    if (times.length === 0 && usage === null) return [];
    return [...named(one, paint), ...times, ...(usage === null ? [] : [`  ${usage}`])];
  });
  const columns = TIMES.map((title, place): Column => {
    const painted = paint("dim", title);
    return place === 0 ? { title: painted } : { title: painted, align: "right", whole: true };
  });
  return renderTextTable({ columns, rows, width, indent: INDENT });
}

function timeRow(until: string, times: Distribution): string[] | null {
  const { observed, censored, undated } = times;
  if (observed + censored + undated === 0) return null;
  return [
    until,
    ...[times.min, times.p50, times.p90, times.p99, times.max].map(secondsText),
    ...[observed, censored, undated].map((count) => (count === 0 ? NOTHING : String(count))),
  ];
}

function usageLine({ usage, beyondBaseline }: ConditionSummary): string | null {
  if (usage === null) return null;
  const mixed = usage.mixed === 0 ? "" : ` (${usage.mixed} trials left out: the probe's calls are mixed in)`;
  if (beyondBaseline === null)
    return `model calls ${number(usage.perTrial.modelCalls)}, tokens ${number(usage.perTrial.inputTokens)} in, ${number(usage.perTrial.outputTokens)} out per trial${mixed}`;
  const { perTrial, baseline } = beyondBaseline;
  return `model calls ${signedText(perTrial.modelCalls)}, tokens ${signedText(perTrial.inputTokens)} in, ${signedText(perTrial.outputTokens)} out beyond ${baseline}${mixed}`;
}

/** What a reader must know before believing a number. */
export function summaryNotes({ conditions, totals, varied }: Summary): string[] {
  const shared = totals.clusters < totals.resets;
  const lines = [
    "Only valid trials are counted, and in a rate only those of which the evidence decides it. Below a count: the 95 % " +
      "interval after Wilson; where no trial or every trial had the event, the exact one-sided 95 % bound (≤, ≥).",
    ...(shared
      ? [
          `Trials that one kill, restart or redeploy took away together are one act: ${totals.resets} resets came of ` +
            `${totals.clusters} acts. Intervals and bounds take trials as independent, which those are not; a bound in ` +
            "brackets counts each act once.",
        ]
      : []),
    "Times are on the ledger's clock. Censored: it did not happen while anybody watched; such trials count as later " +
      `than all others, and a ${NOTHING} lies among them. Undated: it happened, and nothing shows when.`,
  ];
  return conditions.length === 0 ? ["There is nothing to count."] : [...lines, ...copiesNote(varied)];
}

function copiesNote({ seeds, repeats, resetDelayMs, loadPerSecond }: Summary["varied"]): string[] {
  if (repeats < 2) return [];
  const delay =
    resetDelayMs === null || resetDelayMs.distinct < 2
      ? []
      : [
          `the delay before the reset (${resetDelayMs.min}–${resetDelayMs.max} ms, ${resetDelayMs.distinct} values)`,
        ];
  const load =
    loadPerSecond === null || loadPerSecond.max === 0
      ? []
      : [`background load (${loadPerSecond.min}–${loadPerSecond.max} requests per second)`];
  const varied = [...delay, "the order of the conditions, in blocks", ...load].join(", ");
  return [
    `What varied between the trials of a condition: ${varied}; drawn from seed ${seeds.join(", ")}. The model follows a ` +
      "script, so they are near copies of each other: a rate is about this condition on this machine, and " +
      `${repeats} trials are not ${repeats} independent histories.`,
  ];
}

function named({ condition, canary }: ConditionSummary, paint: Paint): Row[] {
  const name = paint("bold", condition);
  return ["", canary ? `${name} ${paint("dim", "(canary, must be convicted)")}` : name];
}

function number(value: number): string {
  return Number(value.toFixed(2)).toString();
}
