/**
 * Quantiles of one time by condition: from the least to the most a line, from the median to the ninetieth percentile a bar.
 * Where trials are censored, nobody knows the most: the line runs to the edge as an arrow, and their number stands there.
 */
import * as Plot from "@observablehq/plot";
import type { ConditionPart } from "../report-model.ts";

type Distribution = ConditionPart["times"][number]["distribution"];
type Shown = { readonly condition: string; readonly distribution: Distribution };

/** The conditions in which there was anything to wait for. */
export function shownIn(conditions: readonly ConditionPart[], of: string): Shown[] {
  return conditions.flatMap(({ condition, times }) => {
    const distribution = times.find((time) => time.of === of)?.distribution;
    const some = distribution !== undefined && distribution.observed + distribution.censored > 0;
    return some ? [{ condition, distribution }] : [];
  });
}

export function timesChart(shown: readonly Shown[], of: string, width: number): Element {
  const seconds = shown.map(({ condition, distribution }) => ({
    condition,
    censored: distribution.censored,
    observed: distribution.observed,
    min: inSeconds(distribution.min),
    p50: inSeconds(distribution.p50),
    p90: inSeconds(distribution.p90),
    p99: inSeconds(distribution.p99),
    max: inSeconds(distribution.max),
  }));
  type Row = (typeof seconds)[number];
  const times = seconds.flatMap(({ min, p50, p90, p99, max }) => [min, p50, p90, p99, max]);
  const most = Math.max(0.1, ...times.filter((one) => one !== null));
  const edge = most * 1.06;
  const censored = seconds.filter((one) => one.censored > 0);
  const longest = Math.max(...shown.map(({ condition }) => condition.length));
  const title = (one: Row) =>
    `${one.condition}\nmin ${text(one.min)}, p50 ${text(one.p50)}, p90 ${text(one.p90)}, p99 ${text(one.p99)}, max ${text(one.max)} s\n` +
    `${one.observed} seen, ${one.censored} censored`;
  return Plot.plot({
    width,
    height: shown.length * 22 + 84,
    marginLeft: Math.min(width * 0.55, longest * 6.7 + 16),
    marginRight: 96,
    marginBottom: 44,
    style: { fontSize: "12px" },
    ariaLabel: `Quantiles: ${of}, in seconds, by condition`,
    x: {
      domain: [Math.min(0, ...times.filter((one) => one !== null)), edge],
      label: "seconds",
      grid: true,
      axis: "both",
    },
    y: { domain: shown.map(({ condition }) => condition), label: null },
    marks: [
      Plot.ruleX([0], { stroke: "var(--rule)" }),
      Plot.ruleY(seconds, {
        y: "condition",
        x1: (one: Row) => one.min ?? edge,
        x2: (one: Row) => (one.censored > 0 ? edge : (one.max ?? edge)),
        stroke: "var(--times)",
        strokeWidth: 1.5,
        title,
      }),
      Plot.barX(
        seconds.filter(({ p50, observed, censored: late }) => p50 !== null && observed + late > 1),
        {
          y: "condition",
          x1: "p50",
          x2: (one: Row) => one.p90 ?? edge,
          fill: "var(--times)",
          fillOpacity: 0.35,
          insetTop: 4,
          insetBottom: 4,
          title,
        },
      ),
      Plot.dot(
        seconds.filter(({ p50 }) => p50 !== null),
        { y: "condition", x: "p50", r: 4, fill: "var(--times)", title },
      ),
      Plot.dot(
        seconds.filter(({ p99, observed, censored: late }) => p99 !== null && observed + late > 1),
        { y: "condition", x: "p99", symbol: "plus", stroke: "var(--times)", r: 3.5, title },
      ),
      Plot.dot(censored, {
        y: "condition",
        x: edge,
        symbol: "triangle2",
        rotate: -90,
        r: 4,
        fill: "var(--loss)",
        title,
      }),
      Plot.text(censored, {
        y: "condition",
        x: edge,
        dx: 10,
        textAnchor: "start",
        text: (one: Row) => `${one.censored} censored`,
        fill: "var(--loss)",
      }),
    ],
  });
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}

function text(value: number | null): string {
  return value === null ? "–" : value.toFixed(2);
}
