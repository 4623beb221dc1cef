/** What an upgrade changes, as text: what the sets are, what each condition gave in each way, and may I upgrade. Pure. */
import type { UpgradePart } from "../../src/report/report-model.ts";
import { printable } from "../base/printable.ts";
import type { Page } from "./page.ts";
import { wrap } from "./wrap.ts";

export function renderUpgrade(
  { from, to, environment, caveats, parts, stored, stale, advice }: UpgradePart,
  run: string,
  { paint, width }: Page,
): string {
  const wrapped = (texts: readonly string[], indent = "") =>
    texts.flatMap((text) => wrap(printable(text), width, indent));
  return [
    `${paint("bold", `${from} → ${to}`)}  run ${run}`,
    ...(environment.length === 0
      ? ["the two sets come to the same packages, host, date and bundle"]
      : wrapped(
          environment.map(({ what, a, b }) => `${what}: ${a} → ${b}`),
          "  ",
        )),
    ...wrapped(caveats, "  "),
    ...parts.flatMap(({ title, conditions, remarks }) => [
      "",
      paint("bold", title),
      ...conditions.flatMap(({ condition, differs, answers, sentences }) => [
        `${differs ? paint("bold", "≠") : "="} ${condition}  ${answers}`,
        ...wrapped(sentences, "    "),
      ]),
      ...wrapped(remarks, "  "),
    ]),
    "",
    paint("bold", "what is stored"),
    ...stored.flatMap(({ title, subjects, remarks }) => [
      `  ${title}`,
      ...subjects.flatMap((one) => [`    ${one.subjects}`, ...wrapped(one.sentences, "      ")]),
      ...wrapped(remarks, "    "),
    ]),
    "",
    ...wrapped([...stale, advice]),
  ].join("\n");
}
