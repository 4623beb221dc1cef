/** The page: takes its data out of the file that it came in, shows the place that the address names, listens to keys. */
import { z } from "zod";
import { ReportModel, type RunPart, type TrialPart } from "../report-model.ts";
import { comparisonView } from "./comparison-view.ts";
import { el } from "./elements.ts";
import { overview } from "./overview.ts";
import { hashOf, placeIn } from "./places.ts";
import { type TrialView, trialView } from "./trial-view.ts";

// The page forbids itself to make code of text, and zod would try to.
z.config({ jitless: true });

const model = ReportModel.parse(JSON.parse(document.getElementById("report")?.textContent ?? "null"));
const main = el("main", { id: "page" });
const contents = el("nav", { "aria-label": "contents", class: "contents" });
const order = model.runs.flatMap(({ trials }) => trials);
const places = new Map(order.map((trial, index) => [trial.anchor, { trial, index }]));
const title = model.runs.map(({ run }) => run).join(" and ");

/** The run that the first screen shows, and the trial that is open instead. */
let shownRun = 0;
let firstScreen: HTMLElement | null = null;
let open: { readonly trial: TrialPart; readonly view: TrialView } | null = null;

document.body.append(
  el("a", { class: "skip", href: "#page", click: skip }, "to the content"),
  el("header", {}, el("h1", {}, `Recovery experiment: ${title}`), contents),
  main,
);
main.tabIndex = -1;
addEventListener("hashchange", show);
addEventListener("keydown", listen);
show();
// How long a reader waits can be read from here, by the page's own clock.
performance.mark("report-shown");

function show(): void {
  const { anchor, seq } = placeIn(location.hash);
  const place = places.get(anchor);
  if (place === undefined) showFirst(anchor);
  else showTrial(place.trial, place.index, seq);
}

/** The address stays what it was: it names a trial or a section. */
function skip(event: Event): void {
  event.preventDefault();
  main.focus();
}

function showFirst(id: string): void {
  open = null;
  firstScreen ??= makeFirst();
  if (firstScreen.parentElement !== main) {
    main.replaceChildren(firstScreen);
    document.title = title;
    fillContents();
  }
  const target = id === "" ? null : document.getElementById(id);
  if (target === null) scrollTo(0, 0);
  else target.scrollIntoView();
}

function showTrial(trial: TrialPart, index: number, seq: number | null): void {
  if (open?.trial !== trial) {
    const view = trialView(trial, { before: order[index - 1] ?? null, after: order[index + 1] ?? null });
    open = { trial, view };
    main.replaceChildren(view.element);
    view.draw();
    document.title = `${trial.trial} · ${title}`;
    fillContents();
    scrollTo(0, 0);
    view.element.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }
  if (seq !== null) open.view.showRecord(seq);
}

function makeFirst(): HTMLElement {
  const run = model.runs[shownRun] as RunPart;
  const [a, b] = model.runs;
  const both = model.comparison;
  return el(
    "div",
    {},
    both === null || a === undefined || b === undefined ? null : comparisonView(both, { a: a.run, b: b.run }),
    b === undefined ? null : runChoice(),
    overview(run),
  );
}

function runChoice(): HTMLElement {
  return el(
    "p",
    { class: "runs", role: "group", "aria-label": "which run" },
    "By itself: ",
    ...model.runs.map(({ run }, index) =>
      el(
        "button",
        {
          type: "button",
          "aria-pressed": String(index === shownRun),
          click: () => {
            shownRun = index;
            firstScreen = null;
            main.replaceChildren();
            showFirst("found");
            main.querySelectorAll<HTMLElement>(".runs button")[index]?.focus({ preventScroll: true });
          },
        },
        `${index === 0 ? "a" : "b"}: ${run}`,
      ),
    ),
  );
}

/** The sections of what is shown; a trial leads back to them. */
function fillContents(): void {
  firstScreen ??= makeFirst();
  const sections = firstScreen.querySelectorAll("section");
  contents.replaceChildren(
    ...[...sections].map((one) =>
      el("a", { href: `#${one.id}` }, one.querySelector("h2")?.textContent ?? one.id),
    ),
  );
}

function listen(event: KeyboardEvent): void {
  const { target, key } = event;
  const typing = target instanceof HTMLInputElement && target.type === "search";
  if (open === null || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { index } = places.get(open.trial.anchor) ?? { index: 0 };
  const to = (trial: TrialPart | undefined) => {
    if (trial !== undefined) location.hash = hashOf(trial.anchor);
  };
  const keys: Readonly<Record<string, () => void>> = {
    j: () => open?.view.step(1),
    k: () => open?.view.step(-1),
    n: () => to(order[index + 1]),
    p: () => to(order[index - 1]),
    Escape: () => {
      location.hash = "#trials";
    },
  };
  keys[key]?.();
}
