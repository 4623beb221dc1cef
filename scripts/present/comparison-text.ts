/** Two runs side by side as text: what they ran on first, then what differs, then how the counts were compared. */
import { ASKED, type Comparison } from "../../src/summarize/comparison.ts";
import type { Tally } from "../../src/trace/counts.ts";
import { type Cell, eachLine, renderBareTable, wideRow } from "./bare-table.ts";
import { NOTHING } from "./numbers.ts";
import { type Paint, PLAIN } from "./paint.ts";
import { wrap } from "./wrap.ts";

type Condition = Comparison["conditions"][number];

const QUESTIONS: ReadonlyMap<string, string> = new Map(ASKED.map(([key, { question }]) => [key, question]));

/** Widest value in a cell; a longer one, such as a list of packages, is cut. */
const VALUE_MAX = 38;

export function renderComparison(comparison: Comparison, paint: Paint = PLAIN): string {
  const { runs, conditions } = comparison;
  const differing = conditions.filter(({ differs }) => differs);
  return [
    `run a: ${paint("bold", runs.a)}`,
    `run b: ${paint("bold", runs.b)}`,
    "",
    ...environmentLines(comparison, paint),
    ...onlyLines(comparison, paint),
    ...(differing.length === 0 ? [] : [paint("bold", "Conditions that differ"), table(differing, paint), ""]),
    ...conclusion(comparison, differing.length, paint),
  ].join("\n");
}

function environmentLines({ environment }: Comparison, paint: Paint): string[] {
  if (environment.length === 0) return ["Both ran on the same versions, settings and source.", ""];
  const rows = environment.map(({ what, a, b }) => [`  ${what}`, cut(a), cut(b)]);
  const head = ["  what they ran on", "run a", "run b"].map((title) => paint("dim", title));
  return [renderBareTable({ head, rows, gap: "  " }), ""];
}

function onlyLines({ only }: Comparison, paint: Paint): string[] {
  return (["a", "b"] as const).flatMap((run) =>
    only[run].length === 0
      ? []
      : [paint("bold", `Valid trials in run ${run} only`), ...only[run].map((name) => `  ${name}`), ""],
  );
}

function table(conditions: readonly Condition[], paint: Paint): string {
  const head = ["  question", "run a", "run b", "Fisher p", "corrected"].map((title) =>
    eachLine(title, (line) => paint("dim", line)),
  );
  const rows = conditions.flatMap((condition): Cell[][] => [
    wideRow("", head.length),
    wideRow(paint("bold", condition.condition), head.length),
    ["  valid trials", String(condition.valid.a), String(condition.valid.b), "", ""],
    ...condition.kinds.map((answer) => [
      `  ${QUESTIONS.get(answer) ?? answer}`,
      tallyText(condition[answer].a),
      tallyText(condition[answer].b),
      "",
      paint("yellow", "new kind"),
    ]),
    ...condition.tests
      .filter(({ a, b, adjusted }) => adjusted !== null && a.events * b.trials !== b.events * a.trials)
      .map(({ of, a, b, p, adjusted, significant }) => [
        `  ${of}`,
        `${a.events}/${a.trials}`,
        `${b.events}/${b.trials}`,
        pText(p),
        significant ? paint("yellow", pText(adjusted ?? 1)) : pText(adjusted ?? 1),
      ]),
  ]);
  return renderBareTable({ head, rows, gap: "  " });
}

function conclusion(comparison: Comparison, differing: number, paint: Paint): string[] {
  const { conditions, tests, differs, only } = comparison;
  const compared =
    `${conditions.length} conditions compared. A condition differs where one run gave an answer that the other never ` +
    "gave (new kind), or where Fisher's exact test, two-sided, corrected after Holm over the " +
    `${tests.family} tests of this comparison that could have shown anything, is below ${tests.level}. ` +
    "With few trials the test cannot tell; trials are taken as independent.";
  const alone = only.a.length + only.b.length;
  const said = differs
    ? `The runs differ: in ${differing} of ${conditions.length} common conditions; ${alone} are in one run only.`
    : "The runs do not differ.";
  return [...wrap(compared), paint(differs ? "yellow" : "green", said)];
}

function tallyText(tally: Tally): string {
  const lines = Object.entries(tally).map(([value, count]) => `${value} ×${count}`);
  return lines.length === 0 ? NOTHING : lines.join("\n");
}

function pText(p: number): string {
  return p < 0.001 ? p.toExponential(1) : p.toFixed(3);
}

function cut(value: string | null): string {
  if (value === null) return NOTHING;
  return value.length > VALUE_MAX ? `${value.slice(0, VALUE_MAX - 1)}…` : value;
}
