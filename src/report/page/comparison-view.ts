/** Two runs side by side: the conclusion, what they ran on, what differs. */
import type { ComparisonPart } from "../report-model.ts";
import { el, lines, row, section, table } from "./elements.ts";

export function comparisonView(
  comparison: ComparisonPart,
  names: { readonly a: string; readonly b: string },
): HTMLElement {
  const { differs, sentences, environment, settings, only, conditions } = comparison;
  const [said, ...how] = sentences;
  const titles = { a: `a: ${names.a}`, b: `b: ${names.b}` };
  const rows = conditions.flatMap(({ condition, rows: own }) => [
    el("tr", { class: "family" }, el("th", { colspan: "4", scope: "rowgroup" }, condition)),
    ...own.map(({ what, a, b, note }) => row(what, lines(a), lines(b), note)),
  ]);
  const folded = (words: string, content: HTMLElement) =>
    el("details", {}, el("summary", {}, words), content);
  return section(
    "comparison",
    "The two runs compared",
    el("p", { class: `found tone ${differs ? "bad" : "good"}` }, said ?? ""),
    conditions.length === 0
      ? null
      : folded(
          `What differs, in ${counted(conditions.length, "condition")}`,
          table("conditions that differ", ["question", titles.a, titles.b, ""], rows),
        ),
    environment.length === 0
      ? el("p", {}, "Both ran on the same versions and source.")
      : folded(
          `What they ran on differs in ${counted(environment.length, "value")}`,
          el(
            "div",
            { class: "anywhere" },
            table(
              "what they ran on, where it differs",
              ["what they ran on", titles.a, titles.b],
              environment.map(({ what, a, b }) => row(what, a, b)),
            ),
          ),
        ),
    settings.length === 0
      ? null
      : folded(
          "Settings of common conditions differ: what differs may come of them",
          table(
            "settings that differ",
            ["setting", titles.a, titles.b, "conditions"],
            settings.map(({ what, a, b, conditions: count }) => row(what, a, b, String(count))),
          ),
        ),
    ...(["a", "b"] as const).map((run) =>
      only[run].length === 0
        ? null
        : folded(
            `${counted(only[run].length, "condition")} with valid trials in run ${run} only`,
            el("ul", {}, ...only[run].map((name) => el("li", { class: "name" }, name))),
          ),
    ),
    folded(
      "How they were compared",
      el("div", {}, ...how.map((sentence) => el("p", { class: "note" }, sentence))),
    ),
  );
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
