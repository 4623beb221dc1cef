/** "Is my tool safe?": the answer, the smallest condition that breaks it, what would have prevented it, and what is not proven. */
import type { SafetyPart } from "../report-model.ts";
import { el, row, section, table } from "./elements.ts";
import { hashOf } from "./places.ts";

const TONES = { kept: "good", broken: "bad", unknown: "open" } as const satisfies Record<
  SafetyPart["answer"],
  string
>;

/** `anchorOf`: of a trial by its id; null where it is not on the page. */
export function safetyView(safety: SafetyPart, anchorOf: (trial: string) => string | null): HTMLElement {
  const { question, answer, sentence, smallest, prevention, actions, required, notProven } = safety;
  const anchor = smallest === null ? null : anchorOf(smallest.trial);
  return section(
    "safety",
    question,
    el("p", { class: `found tone ${TONES[answer]}` }, sentence),
    smallest === null || anchor === null
      ? null
      : el("p", {}, "The trial: ", el("a", { href: hashOf(anchor) }, smallest.trial), "."),
    ...(prevention.length === 0 ? [] : [el("h3", {}, "What would have prevented it"), list(prevention)]),
    el("h3", {}, "Each change outside"),
    table(
      "each change outside",
      ["action", "valid trials", "too many effects", "claimed and not there", "outcome left open"],
      actions.map((one) => {
        const counts = [one.valid, one.duplicate, one.lost, one.unresolved].map(String);
        const shown = row(el("span", { class: "name" }, one.action), ...counts);
        shown.className = `tone ${one.duplicate + one.lost > 0 ? "bad" : "plain"}`;
        return shown;
      }),
    ),
    ...(required.length === 0
      ? []
      : [
          el("h3", {}, "What was required"),
          table(
            "what was required",
            ["invariant", "what it says", "held", "broken"],
            required.map(({ invariant, title, held, broken }) => {
              const shown = row(
                el("span", { class: "name" }, invariant),
                title,
                String(held),
                String(broken),
              );
              shown.className = `tone ${broken > 0 ? "bad" : "good"}`;
              return shown;
            }),
          ),
        ]),
    el("h3", {}, "What is not proven"),
    list(notProven),
  );
}

function list(texts: readonly string[]): HTMLElement {
  return el("ul", {}, ...texts.map((text) => el("li", {}, text)));
}
