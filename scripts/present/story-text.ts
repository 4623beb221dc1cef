/** One trial's story for a terminal: a line for each record that matters, then the answers with the records that decide them. */

import type { Answered } from "../../src/story/answers.ts";
import type { Kind } from "../../src/story/lines.ts";
import type { Entry, Remark, Story } from "../../src/story/story.ts";
import { caveatOf } from "../../src/summarize/caveat.ts";
import type { Page } from "./page.ts";
import type { Paint } from "./paint.ts";
import { renderTextTable } from "./text-table.ts";
import { wrap } from "./wrap.ts";

export type Range = { readonly from: number; readonly to: number };

type StoryPage = {
  readonly page: Page;
  /** Records to show, the unimportant ones too; null for those that matter. */
  readonly records: Range | null;
};

const COLOURS: Readonly<Record<Kind, Parameters<Paint>[0]>> = {
  plain: "reset",
  loss: "magenta",
  life: "cyan",
  effect: "green",
  "no-effect": "blue",
  problem: "red",
};

export function renderStory(story: Story, { page, records }: StoryPage): string {
  const { paint, width } = page;
  const shown = story.entries.filter(({ seq, matters, decides }) =>
    records === null ? matters || decides.length > 0 : seq >= records.from && seq <= records.to,
  );
  const left = story.entries.length - shown.length;
  const rest =
    left === 0
      ? []
      : wrap(
          `${left} of ${story.entries.length} records are not shown; --records 1-${story.entries.length} shows all.`,
          width,
        );
  return [
    ...heading(story, page),
    "",
    renderTextTable({
      columns: [
        { title: "s", align: "right", whole: true },
        { title: "record", align: "right", whole: true },
        { title: "who", whole: true },
        { title: "what (and what it decides)" },
      ],
      rows: shown.map((entry) => rowOf(entry, paint)),
      width,
    }),
    ...rest,
    "",
    paint("bold", "Verdict"),
    ...[...story.answers, story.attribution].flatMap((answered) => answerLines(answered, page)),
    ...remarkLines("Why it is invalid", story.reasons, page),
    ...remarkLines("Findings", story.findings, page),
  ].join("\n");
}

function heading(
  { trial, condition, valid, host, environment, spec, zero, entries }: Story,
  { paint, width }: Page,
): string[] {
  const validity = valid ? paint("green", "valid") : paint("red", "invalid");
  const caveat = caveatOf(host, [{ environment, spec }]);
  return [
    ...wrap(
      `${paint("bold", trial)} · ${condition} · ${validity}${spec?.canary === true ? " · a canary" : ""}`,
      width,
    ),
    ...(host === null ? [] : wrap(`host: ${host.kind} (${host.name} ${host.version})`, width)),
    ...(caveat === null ? [] : wrap(caveat, width, "  ")),
    ...wrap(
      `${entries.length} records; times in s from the ${zero === "start" ? "start" : "moment at which the first reset was asked for"}, on the ledger's clock`,
      width,
    ),
  ];
}

function rowOf({ seq, sinceMs, lane, generation, kind, text, decides }: Entry, paint: Paint): string[] {
  const acting = lane === "subject" ? `g${generation}` : `← g${generation}`;
  const told = kind === "plain" ? text : paint(COLOURS[kind], text);
  return [
    (sinceMs / 1_000).toFixed(2),
    String(seq),
    generation === null ? lane : `${lane} ${acting}`,
    decides.length === 0 ? told : `${told} ${paint("dim", `[${decides.join(", ")}]`)}`,
  ];
}

function answerLines({ axis, words, why, evidence }: Answered, { paint, width }: Page): string[] {
  const [first = "", ...others] = wrap(`${axis}: ${words}`, width - 2, "  ");
  const because = [why, evidence.length === 0 ? null : `Records ${rangesOf(evidence)}.`].filter(
    (one) => one !== null,
  );
  return [
    first.replace(axis, paint("bold", axis)),
    ...others.map((line) => `  ${line}`),
    ...(because.length === 0
      ? []
      : wrap(because.join(" "), width, "      ").map((line) => paint("dim", line))),
  ];
}

function remarkLines(title: string, remarks: readonly Remark[], { paint, width }: Page): string[] {
  if (remarks.length === 0) return [];
  return [
    "",
    paint("bold", title),
    ...remarks.flatMap(({ code, sentence, evidence }) =>
      wrap(
        `${code}: ${sentence}${evidence.length === 0 ? "" : ` Records ${rangesOf(evidence)}.`}`,
        width,
        "  ",
      ),
    ),
  ];
}

/** `1, 4–6, 9`: neighbours are drawn together. */
export function rangesOf(seqs: readonly number[]): string {
  const ranges: { from: number; to: number }[] = [];
  for (const seq of seqs) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to + 1 === seq) last.to = seq;
    else ranges.push({ from: seq, to: seq });
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}
