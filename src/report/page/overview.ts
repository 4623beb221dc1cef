/** The first screen of a run and what stands below it: what was found, distinct answers, conditions, times, trials. */
import type { AnswerGroup, ConditionPart, Counted, Notice, RunPart } from "../report-model.ts";
import { type Child, el, lines, row, section, table } from "./elements.ts";
import { hashOf } from "./places.ts";
import { safetyView } from "./safety-view.ts";
import { shownIn, timesChart } from "./times-chart.ts";
import { upgradeView } from "./upgrade-view.ts";

/** Most trials that are named where many share one remark; the others are counted. */
const NAMED_MAX = 12;
/** The same in a cell of a table. */
const NAMED_IN_CELL_MAX = 3;

/** Links to trials, as many as there is room for, and how many more there are. */
type Linked = (anchors: readonly string[], most?: number) => Child[];

export function overview(run: RunPart): HTMLElement {
  const trials = new Map(run.trials.map((trial) => [trial.anchor, trial]));
  const linked: Linked = (anchors, most = NAMED_MAX) => [
    ...anchors.slice(0, most).flatMap((anchor, index): Child[] => {
      const trial = trials.get(anchor);
      const link = el("a", { href: hashOf(anchor), title: trial?.condition ?? "" }, trial?.trial ?? anchor);
      return index === 0 ? [link] : [", ", link];
    }),
    anchors.length > most ? ` and ${anchors.length - most} more` : null,
  ];
  const conditions = new Map(run.conditions.map((one) => [one.condition, one]));
  return el(
    "div",
    {},
    section(
      "found",
      "What was found",
      el("p", { class: "found" }, run.found.join(" ")),
      el(
        "p",
        { class: "host" },
        el("strong", {}, `Host: ${run.host}.`),
        run.caveat === null ? null : ` Mind: ${run.caveat}.`,
      ),
      versions(run),
    ),
    run.upgrade === null ? null : upgradeView(run.upgrade),
    run.safety === null ? null : safetyView(run.safety, (trial) => anchorOf(run, trial)),
    section(
      "answers",
      "Distinct answers",
      el(
        "p",
        { class: "note" },
        "Conditions whose valid trials gave the same answers, in the columns here, stand together. Open a row for its conditions. The edge of a row: green as the experiment expects it, red different, amber undecided or invalid.",
      ),
      pivot("distinct answers", run.columns, run.groups, conditions),
    ),
    run.canaryGroups.length === 0
      ? null
      : section(
          "canaries",
          "Canaries",
          el("p", { class: "note" }, "Broken on purpose. The judge has to convict each of them."),
          pivot("answers of canaries", run.columns, run.canaryGroups, conditions),
        ),
    run.notices.length === 0
      ? null
      : section("notices", "To look at", ...run.notices.map((notice) => noticeList(notice, linked))),
    section(
      "conditions",
      "Three answers by condition",
      ...run.notes.map((note) => el("p", { class: "note" }, note)),
      conditionTable(run, linked),
    ),
    timesSection(run),
    run.subjects.groups.length === 0
      ? null
      : section("subjects", "Subjects side by side", ...subjectTables(run)),
    run.documented.length === 0
      ? null
      : section("promises", "What is promised, and what was seen of it", promiseTable(run)),
    section("trials", "Trials", trialTable(run)),
  );
}

function versions(run: RunPart): HTMLElement {
  return el(
    "details",
    {},
    el("summary", {}, "Versions and machine"),
    el("dl", {}, ...run.versions.flatMap(({ what, value }) => [el("dt", {}, what), el("dd", {}, value)])),
  );
}

function pivot(
  caption: string,
  columns: readonly string[],
  groups: readonly AnswerGroup[],
  conditions: ReadonlyMap<string, ConditionPart>,
): HTMLElement {
  if (groups.length === 0) return el("p", {}, "No valid trial gave an answer.");
  const rows = groups.flatMap((group, index) => {
    const list = el(
      "tr",
      { class: "opened", id: `${caption.replaceAll(" ", "-")}-${index}`, hidden: true },
      el(
        "td",
        { colspan: String(columns.length + 3) },
        el("ul", {}, ...group.conditions.map((name) => conditionItem(name, conditions.get(name)))),
      ),
    );
    const button = el(
      "button",
      {
        type: "button",
        class: "open",
        "aria-expanded": "false",
        "aria-controls": list.id,
        click: () => {
          list.hidden = !list.hidden;
          button.setAttribute("aria-expanded", String(!list.hidden));
        },
      },
      String(group.conditions.length),
    );
    const [first] = group.conditions;
    const others = group.conditions.length === 1 ? "" : `, and ${group.conditions.length - 1} more`;
    const example = [el("span", { class: "name" }, first ?? ""), others];
    const shown = row([button], String(group.trials), ...group.answers.map(told), example);
    shown.className = `tone ${group.tone}`;
    return [shown, list];
  });
  return el("div", { class: "pivot" }, table(caption, ["conditions", "trials", ...columns, "such as"], rows));
}

/** Words of a verdict are read as one: they are not broken at their hyphens. */
function told(words: readonly string[]): Child[] {
  return words.map((word) => el("div", { class: "told" }, word));
}

function conditionItem(name: string, condition: ConditionPart | undefined): HTMLElement {
  const anchors = condition?.anchors ?? [];
  return el(
    "li",
    {},
    el("span", { class: "name" }, name),
    condition === undefined || condition.remark === "" ? null : ` (${condition.remark})`,
    ...anchors
      .slice(0, NAMED_MAX)
      .flatMap((anchor): Child[] => [" ", el("a", { href: hashOf(anchor) }, anchor)]),
    anchors.length > NAMED_MAX ? ` and ${anchors.length - NAMED_MAX} more` : null,
  );
}

function promiseTable({ documented }: RunPart): HTMLElement {
  const rows = documented.map(({ subject, seen, says, source, tone, contradicting }) => {
    const shown = row(
      subject,
      seen,
      [says, ...contradicting.map((words) => el("div", { class: "note" }, words))],
      source,
    );
    shown.className = `tone ${tone}`;
    return shown;
  });
  return table("promises", ["subject", "seen", "promise", "source"], rows);
}

function noticeList({ title, entries }: Notice, linked: Linked): HTMLElement {
  return el(
    "div",
    {},
    el("h3", {}, title),
    el(
      "ul",
      {},
      ...entries.map(({ words, anchors }) =>
        el(
          "li",
          {},
          ...lines(words),
          anchors.length === 0 ? null : el("div", { class: "where" }, ...linked(anchors)),
        ),
      ),
    ),
  );
}

function conditionTable(run: RunPart, linked: Linked): HTMLElement {
  const titles = [
    "condition",
    "valid / trials",
    "resets (acts)",
    "session",
    "execution",
    "effects",
    "trials",
  ];
  const families = [...Map.groupBy(run.conditions, ({ family }) => family)];
  const rows = families.flatMap(([family, conditions]) => [
    el("tr", { class: "family" }, el("th", { colspan: String(titles.length), scope: "rowgroup" }, family)),
    ...conditions.map((one) => {
      const shown = row(
        [
          el("span", { class: "name" }, one.condition),
          one.remark === "" ? null : el("div", { class: "note" }, one.remark),
        ],
        `${one.valid} / ${one.trials}`,
        one.resets === 0 ? "–" : `${one.resets} (${one.acts})`,
        countedCell(one.session),
        countedCell(one.execution),
        countedCell(one.effects),
        [el("div", { class: "where" }, ...linked(one.anchors, NAMED_IN_CELL_MAX))],
      );
      shown.className = `tone ${one.tone}`;
      return shown;
    }),
  ]);
  return el("div", { class: "conditions" }, table("three answers by condition", titles, rows));
}

function countedCell({ answers, rates, counts }: Counted): Child[] {
  const told = answers.map(({ words, trials }) =>
    el("div", { class: "told" }, answers.length === 1 && trials === 1 ? words : `${words} ×${trials}`),
  );
  const worth = rates.filter((rate) => rate.lines.length > 0 && isWorthSaying(rate.lines));
  return [
    ...told,
    ...counts.map((count) => el("div", { class: "note told" }, count)),
    ...worth.map(({ of, lines: [count = "", ...more] }) =>
      el(
        "div",
        { class: "rate" },
        `${of} ${count}`,
        more.length === 0 ? null : ` (${more.map(unbroken).join("; ")})`,
      ),
    ),
  ];
}

/** A bound is not parted from its sign. */
function unbroken(bound: string): string {
  return bound.replaceAll(/([≤≥]) /g, "$1\u00a0");
}

/** One trial bounds nothing, and its answer stands above. */
function isWorthSaying(rate: readonly string[]): boolean {
  return rate.length > 1;
}

function timesSection(run: RunPart): HTMLElement | null {
  const names = (run.conditions[0]?.times ?? []).map(({ of }) => of);
  const offered = names.filter((of) => shownIn(run.conditions, of).length > 0);
  const [first] = offered;
  if (first === undefined) return null;
  const chart = el("div", { class: "chart" });
  let chosen = first;
  const draw = () => {
    const width = Math.max(640, (chart.clientWidth || 1_000) - 2);
    chart.replaceChildren(timesChart(shownIn(run.conditions, chosen), chosen, width));
  };
  new ResizeObserver(draw).observe(chart);
  const choices = offered.map((of) =>
    el(
      "label",
      { class: "toggle" },
      el("input", {
        type: "radio",
        name: `times-${run.run}`,
        checked: of === first,
        change: () => {
          chosen = of;
          draw();
        },
      }),
      ` ${of}`,
    ),
  );
  return section(
    "times",
    "Times",
    el(
      "p",
      { class: "note" },
      "Line: least to most. Bar: median to 90th percentile. Dot: median. Plus: 99th percentile. An arrow: so many trials in which it had not happened when the watching ended; they count as longer than all others.",
    ),
    el("fieldset", {}, el("legend", {}, "Which time"), ...choices),
    chart,
  );
}

function subjectTables(run: RunPart): HTMLElement[] {
  const { columns, groups } = run.subjects;
  const rows = groups.flatMap(({ levels, rows: own }) => [
    el("tr", { class: "family" }, el("th", { colspan: String(columns.length), scope: "rowgroup" }, levels)),
    ...own.map((cells) => row(...cells.map((cell) => lines(cell)))),
  ]);
  return [table("subjects side by side", columns, rows)];
}

function trialTable(run: RunPart): HTMLElement {
  const field = el("input", { type: "search", id: "filter", autocomplete: "off" });
  const rows = run.trials.map((trial) => {
    const shown = row(
      [el("a", { href: hashOf(trial.anchor) }, trial.trial)],
      trial.condition,
      trial.valid ? "valid" : "invalid",
      trial.outcome,
      String(trial.entries.length),
    );
    shown.className = `tone ${trial.tone}`;
    return {
      shown,
      text: `${trial.trial} ${trial.condition} ${trial.outcome} ${trial.valid ? "valid" : "invalid"}`,
    };
  });
  const count = el("span", { "aria-live": "polite" }, ` ${rows.length} trials`);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    let left = 0;
    for (const { shown, text } of rows) {
      shown.hidden = !words.every((word) => text.toLowerCase().includes(word));
      if (!shown.hidden) left++;
    }
    count.textContent = ` ${left} of ${rows.length} trials`;
  });
  return el(
    "div",
    {},
    el("p", {}, el("label", { for: "filter" }, "Show trials with "), field, count),
    table(
      "trials",
      ["trial", "condition", "validity", "outcome", "records"],
      rows.map(({ shown }) => shown),
    ),
  );
}

function anchorOf(run: RunPart, trial: string): string | null {
  return run.trials.find((one) => one.trial === trial)?.anchor ?? null;
}
