/** One trial: its answers, each of which highlights the records that decide it, its swim lanes and its records. */
import type { TrialPart } from "../report-model.ts";
import { type Child, el, lines, row, table } from "./elements.ts";
import { hashOf } from "./places.ts";
import { kindsOf, LOOKS, seconds, timelineChart } from "./timeline-chart.ts";

export type TrialView = {
  readonly element: HTMLElement;
  /** Draws the lanes as wide as there is room; to be called once it stands on the page. */
  readonly draw: () => void;
  /** Brings a record before the reader. */
  readonly showRecord: (seq: number) => void;
  /** To the record before or behind the one that was shown. */
  readonly step: (by: 1 | -1) => void;
};

type Neighbours = { readonly before: TrialPart | null; readonly after: TrialPart | null };

export function trialView(trial: TrialPart, { before, after }: Neighbours): TrialView {
  const records = new Map(trial.entries.map((entry) => [entry.seq, recordRow(trial, entry)]));
  const chart = el("div", { class: "chart" });
  const hint = el("p", { class: "hint", "aria-live": "polite" });
  const state = {
    waitsShort: true,
    all: false,
    decides: null as readonly number[] | null,
    seq: null as number | null,
  };

  const paint = () => {
    const { decides, seq } = state;
    const marks = chart.querySelectorAll<SVGAElement>("a");
    for (const mark of marks) {
      const own = Number(/\/(\d+)$/.exec(mark.href.baseVal)?.[1]);
      mark.setAttribute("tabindex", "-1");
      mark.classList.toggle("decides", decides?.includes(own) === true);
      mark.classList.toggle("dimmed", decides !== null && !decides.includes(own));
      mark.classList.toggle("current", own === seq);
    }
    for (const [own, record] of records) {
      const entry = trial.entries.find((one) => one.seq === own);
      const wanted =
        entry?.matters === true || (entry?.decides.length ?? 0) > 0 || decides?.includes(own) === true;
      record.hidden = !(state.all || wanted || own === seq);
      record.classList.toggle("decides", decides?.includes(own) === true);
      if (own === seq) record.setAttribute("aria-current", "true");
      else record.removeAttribute("aria-current");
    }
  };
  const draw = () => {
    if (trial.entries.length > 0) {
      // The padding of the box around it.
      const width = Math.max(640, (chart.clientWidth || 1_000) - 2);
      chart.replaceChildren(timelineChart(trial, { waitsShort: state.waitsShort, width }));
    }
    paint();
  };
  const buttons: HTMLButtonElement[] = [];
  const choose = (button: HTMLButtonElement, evidence: readonly number[], axis: string) => {
    const pressed = button.getAttribute("aria-pressed") === "true";
    for (const one of buttons) one.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(!pressed));
    state.decides = pressed ? null : evidence;
    hint.textContent = pressed ? "" : `Highlighted: the ${evidence.length} records that decide ${axis}.`;
    paint();
  };
  const answers = [...trial.answers, trial.attribution].map(({ axis, words, why, evidence }) => {
    const button = el(
      "button",
      {
        type: "button",
        class: "axis",
        "aria-pressed": "false",
        disabled: evidence.length === 0,
        click: () => choose(button, evidence, axis),
      },
      axis,
    );
    buttons.push(button);
    return row(button, el("strong", {}, words), why ?? "", recordLinks(trial, evidence));
  });
  const toggle = (words: string, checked: boolean, change: (on: boolean) => void) =>
    el(
      "label",
      { class: "toggle" },
      el("input", {
        type: "checkbox",
        checked,
        change: (event) => change((event.target as HTMLInputElement).checked),
      }),
      ` ${words}`,
    );
  const remarks = [
    ...trial.differences.map((words): Child => el("li", {}, words)),
    ...[...trial.reasons, ...trial.findings].map(
      ({ code, sentence, evidence }): Child =>
        el("li", {}, el("code", {}, code), ` ${sentence} `, ...recordLinks(trial, evidence)),
    ),
  ];
  const head = ["s", "record", "who", "what", "decides"].map((title) => el("th", { scope: "col" }, title));
  const element = el(
    "article",
    { class: "trial" },
    el(
      "nav",
      { "aria-label": "trials", class: "neighbours" },
      el("a", { href: "#found" }, "← the whole run"),
      before === null ? null : el("a", { href: hashOf(before.anchor), rel: "prev" }, "previous trial"),
      after === null ? null : el("a", { href: hashOf(after.anchor), rel: "next" }, "next trial"),
    ),
    el("h2", { tabindex: "-1" }, trial.trial),
    el(
      "p",
      { class: "subtitle" },
      el("span", { class: "name" }, trial.condition),
      " ",
      el("span", { class: `chip ${trial.valid ? "plain" : "open"}` }, trial.valid ? "valid" : "invalid"),
      " ",
      el("span", { class: `chip ${trial.tone}` }, trial.outcome),
      trial.canary ? el("span", { class: "chip plain" }, "canary: broken on purpose") : null,
    ),
    remarks.length === 0 ? null : el("ul", { class: "remarks" }, ...remarks),
    el("h3", {}, "What happened"),
    el(
      "p",
      { class: "legend" },
      ...kindsOf(trial).map((kind) => legend(LOOKS[kind].color, LOOKS[kind].sign, LOOKS[kind].words)),
      legend("var(--quiet)", "▬", "quiet interval"),
      legend("var(--hold)", "▬", "held at the point"),
      legend("var(--withheld)", "▬", "receipt withheld"),
    ),
    chart,
    el(
      "p",
      { class: "controls" },
      toggle("draw long waits short", true, (on) => {
        state.waitsShort = on;
        draw();
      }),
      toggle("list every record", false, (on) => {
        state.all = on;
        paint();
      }),
      el(
        "span",
        { class: "keys" },
        "Keys: j and k step through the records, n and p through the trials, Esc leads back.",
      ),
    ),
    el("h3", {}, "The answers, and the records that decide them"),
    hint,
    table("answers of the trial", ["axis", "answer", "why", "records"], answers),
    el("h3", {}, "Records"),
    el(
      "p",
      { class: "note" },
      `Times in seconds from the ${trial.zero === "first reset" ? "moment at which the first reset was asked for" : "start of the trial"}, on the journal's clock. Trace: ${trial.trace}`,
    ),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "records of the trial" },
      el(
        "table",
        { class: "records" },
        el("thead", {}, el("tr", {}, ...head)),
        el("tbody", {}, ...records.values()),
      ),
    ),
  );
  // Its box becomes another one when the window does.
  new ResizeObserver(draw).observe(chart);
  const showRecord = (seq: number) => {
    state.seq = seq;
    paint();
    records.get(seq)?.scrollIntoView({ block: "center" });
    records.get(seq)?.querySelector("a")?.focus({ preventScroll: true });
  };
  const step = (by: 1 | -1) => {
    const shown = trial.entries.filter(({ seq }) => records.get(seq)?.hidden === false);
    const place = shown.findIndex(({ seq }) => seq === state.seq);
    const next = place === -1 ? (by === 1 ? shown[0] : shown.at(-1)) : shown[place + by];
    if (next === undefined) return;
    // The next key may come before the address has changed.
    state.seq = next.seq;
    location.hash = hashOf(trial.anchor, next.seq);
  };
  return { element, draw, showRecord, step };
}

function recordRow(trial: TrialPart, entry: TrialPart["entries"][number]): HTMLTableRowElement {
  const { seq, sinceMs, lane, generation, kind, text, decides } = entry;
  const link = el("a", { href: hashOf(trial.anchor, seq), "aria-label": `record ${seq}` }, String(seq));
  const who = generation === null ? lane : `${lane} g${generation}`;
  const record = row(seconds(sinceMs), link, who, text, [...lines(decides)]);
  record.id = `${trial.anchor}/${seq}`;
  record.className = `record ${kind}`;
  return record;
}

function recordLinks(trial: TrialPart, evidence: readonly number[]): Child[] {
  return evidence.flatMap((seq, index): Child[] => [
    index === 0 ? "" : ", ",
    el("a", { href: hashOf(trial.anchor, seq) }, String(seq)),
  ]);
}

function legend(color: string, sign: string, words: string): HTMLElement {
  return el(
    "span",
    { class: "key" },
    el("span", { style: `color: ${color}`, "aria-hidden": "true" }, sign),
    ` ${words}`,
  );
}
