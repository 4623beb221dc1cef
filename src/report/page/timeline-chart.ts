/**
 * A trial's swim lanes: every record a mark in the lane of whoever acted, stretches of time behind them, resets as lines through
 * all lanes. Each mark leads to its record in the list, which is where the keyboard goes.
 */
import * as Plot from "@observablehq/plot";
import { type Entry, KINDS, LANES, type Span, type TrialPart } from "../report-model.ts";
import { hashOf } from "./places.ts";
import { levelsOf, timeScale } from "./time-scale.ts";

const LANE_PX = 64;
const MARK_PX = 9;
const LEVEL_PX = 11;
const LEFT_PX = 84;
/** Half of the longest time below the axis, which stands centred under its tick. */
const RIGHT_PX = 36;
const TOP_PX = 26;

type Look = {
  readonly symbol: Plot.SymbolType;
  /** The same shape in a line of text. */
  readonly sign: string;
  readonly color: string;
  readonly words: string;
};
/** Told apart by shape as well as by colour. */
export const LOOKS: Readonly<Record<Entry["kind"], Look>> = {
  loss: { symbol: "times", sign: "✕", color: "var(--loss)", words: "host lost" },
  life: { symbol: "triangle", sign: "▲", color: "var(--life)", words: "host or activation begins" },
  effect: { symbol: "star", sign: "★", color: "var(--effect)", words: "effect" },
  "no-effect": { symbol: "square", sign: "■", color: "var(--no-effect)", words: "no new effect" },
  problem: { symbol: "diamond", sign: "◆", color: "var(--problem)", words: "problem" },
  plain: { symbol: "circle", sign: "●", color: "var(--record)", words: "other record" },
};

const SPAN_COLORS: Readonly<Record<Span["span"], string>> = {
  reset: "var(--loss)",
  quiet: "var(--quiet)",
  hold: "var(--hold)",
  withheld: "var(--withheld)",
};

export type Timeline = { readonly waitsShort: boolean; readonly width: number };

export function timelineChart(trial: TrialPart, { waitsShort, width }: Timeline): Element {
  const lanes = LANES.filter((lane) => trial.entries.some((entry) => entry.lane === lane));
  const room = Math.max(300, width - LEFT_PX - RIGHT_PX);
  const { at, ticks } = timeScale(
    trial.entries.map(({ sinceMs }) => sinceMs),
    { width: room, waitsShort },
  );
  const middle = (lane: Entry["lane"]) => lanes.indexOf(lane) * LANE_PX + LANE_PX / 2;
  const marks = lanes.flatMap((lane) => {
    const own = trial.entries.filter((entry) => entry.lane === lane);
    const levels = levelsOf(
      own.map(({ sinceMs }) => at(sinceMs)),
      MARK_PX,
    );
    return own.map((entry, index) => ({
      entry,
      x: at(entry.sinceMs),
      // A heap that is higher than its lane is pressed into it.
      y: middle(lane) + clamp((levels[index] ?? 0) * LEVEL_PX, LANE_PX / 2 - 7),
    }));
  });
  const spans = trial.spans.map((span) => ({ ...span, x1: at(span.fromMs), x2: at(span.toMs) }));
  const through = spans.filter(({ span }) => span === "quiet" || span === "reset");
  const inLane = spans.filter(({ span }) => span === "hold" || span === "withheld");
  const rowOf = (span: Span) =>
    middle(span.lane) + (span.span === "hold" ? -LANE_PX / 2 + 5 : LANE_PX / 2 - 5);
  const resets = spans.filter(({ span }) => span === "reset");
  const height = lanes.length * LANE_PX;
  return Plot.plot({
    width: room + LEFT_PX + RIGHT_PX,
    height: height + TOP_PX + 34,
    marginLeft: LEFT_PX,
    marginRight: RIGHT_PX,
    marginTop: TOP_PX,
    marginBottom: 34,
    ariaLabel: `Timeline of ${trial.trial}: ${trial.entries.length} records in ${lanes.length} lanes`,
    x: { domain: [0, room], axis: null },
    y: { domain: [0, height], axis: null, reverse: true },
    style: { fontSize: "12px" },
    color: { type: "identity" },
    symbol: { type: "identity" },
    marks: [
      Plot.rect(through, {
        x1: "x1",
        x2: (span: { x1: number; x2: number }) => Math.max(span.x2, span.x1 + 1.5),
        y1: 0,
        y2: height,
        fill: (span: Span) => SPAN_COLORS[span.span],
        fillOpacity: (span: Span) => (span.span === "quiet" ? 0.16 : 0.3),
        title: (span: Span) => `${span.text}: ${seconds(span.fromMs)} to ${seconds(span.toMs)} s`,
      }),
      Plot.ruleY(
        lanes.slice(1).map((_, index) => (index + 1) * LANE_PX),
        { stroke: "var(--rule)" },
      ),
      Plot.rect(inLane, {
        x1: "x1",
        x2: (span: { x1: number; x2: number }) => Math.max(span.x2, span.x1 + 3),
        y1: (span: Span) => rowOf(span) - 3,
        y2: (span: Span) => rowOf(span) + 3,
        fill: (span: Span) => SPAN_COLORS[span.span],
        title: (span: Span) => `${span.text}: ${seconds(span.fromMs)} to ${seconds(span.toMs)} s`,
      }),
      Plot.text(resets, {
        x: "x1",
        y: 0,
        dy: -9,
        text: (span: Span) => span.text.replace(/:.*$/, ""),
        fill: "var(--loss)",
        textAnchor: "middle",
        fontWeight: "600",
      }),
      Plot.text(
        spans.filter(({ span, x1, x2 }) => span === "quiet" && x2 - x1 > 90),
        {
          x: (span: { x1: number; x2: number }) => (span.x1 + span.x2) / 2,
          y: 0,
          dy: -9,
          text: (span: Span) => span.text,
          fill: "var(--quiet-text)",
        },
      ),
      Plot.text(lanes, {
        x: 0,
        y: (lane: Entry["lane"]) => middle(lane),
        text: (lane: string) => lane,
        dx: -12,
        textAnchor: "end",
        fill: "currentColor",
      }),
      Plot.ruleY([height], { stroke: "var(--rule)" }),
      Plot.text(ticks, {
        x: at,
        y: height,
        dy: 14,
        text: (ms: number) => `${seconds(ms)} s`,
        fill: "currentColor",
      }),
      Plot.ruleX(ticks, { x: at, y1: height, y2: height - 5, stroke: "currentColor" }),
      Plot.dot(marks, {
        x: "x",
        y: "y",
        r: 4.5,
        symbol: ({ entry }: { entry: Entry }) => LOOKS[entry.kind].symbol,
        stroke: ({ entry }: { entry: Entry }) => LOOKS[entry.kind].color,
        fill: ({ entry }: { entry: Entry }) => (entry.kind === "loss" ? "none" : LOOKS[entry.kind].color),
        fillOpacity: ({ entry }: { entry: Entry }) => (entry.matters ? 1 : 0.25),
        strokeWidth: 1.5,
        href: ({ entry }: { entry: Entry }) => hashOf(trial.anchor, entry.seq),
        title: ({ entry }: { entry: Entry }) => `${entry.seq} at ${seconds(entry.sinceMs)} s: ${entry.text}`,
        className: "marks",
      }),
    ],
  });
}

/** Seconds as the timeline names them. */
export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2).replace("-", "−");
}

/** The kinds of mark that a trial has, in one order. */
export function kindsOf(trial: TrialPart): Entry["kind"][] {
  return KINDS.filter((kind) => trial.entries.some((entry) => entry.kind === kind));
}

function clamp(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}
