/** What an upgrade comes to: the answer, what each way gave against the one with the same code, and what is stored. */
import type { UpgradePart } from "../report-model.ts";
import { el, row, section, table } from "./elements.ts";

export function upgradeView(upgrade: UpgradePart): HTMLElement {
  const { from, to, advice, stale, caveats, environment, parts, stored } = upgrade;
  const isGood = parts.every(({ conditions }) => conditions.every(({ differs }) => !differs));
  return section(
    "upgrade",
    `From ${from} to ${to}`,
    el("p", { class: `found tone ${isGood ? "plain" : "bad"}` }, advice),
    ...[...stale, ...caveats].map((text) => el("p", { class: "note" }, text)),
    environment.length === 0
      ? el("p", {}, "The two sets come to the same packages, host, date and bundle.")
      : el(
          "details",
          {},
          el("summary", {}, "What the two sets come to"),
          table(
            "what the two sets come to, where it differs",
            ["what", from, to],
            environment.map(({ what, a, b }) => row(what, a, b)),
          ),
        ),
    ...parts.flatMap(({ title, conditions, remarks }) => [
      el("h3", {}, capital(title)),
      ...conditions.map(({ condition, differs, answers, sentences }) =>
        el(
          "details",
          { class: `tone ${differs ? "bad" : "good"}`, open: differs },
          el("summary", {}, el("span", { class: "name" }, condition), `  ${answers}`),
          list(sentences),
        ),
      ),
      list(remarks),
    ]),
    el("h3", {}, "What is stored"),
    ...stored.flatMap(({ title, subjects, remarks }) => [
      el("p", {}, el("strong", {}, capital(title))),
      ...subjects.flatMap((one) => [el("p", { class: "name" }, one.subjects), list(one.sentences)]),
      list(remarks),
    ]),
  );
}

function list(texts: readonly string[]): HTMLElement | null {
  return texts.length === 0 ? null : el("ul", {}, ...texts.map((text) => el("li", {}, text)));
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
