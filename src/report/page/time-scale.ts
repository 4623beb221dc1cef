/**
 * From times to places on a line. A trial waits for half a minute and then does ten things in one tenth of a second: true to
 * scale, all that matters lies on one spot. So long waits may be drawn short; order and ticks stay true. Pure.
 */
export type TimeScale = {
  /** In pixels, ascending with the time. */
  readonly at: (ms: number) => number;
  /** Times to name on the axis, ascending, far enough from each other to be read. */
  readonly ticks: readonly number[];
};

type Line = { readonly width: number; readonly waitsShort: boolean };

/** Between two ticks, in pixels. */
const TICK_APART = 64;
/** A gap grows with its logarithm from here on, in ms. */
const SHORT_GAP_MS = 40;

/** @param times of everything that is drawn, in ms; at least one. */
export function timeScale(times: readonly number[], { width, waitsShort }: Line): TimeScale {
  const stops = [...new Set(times)].sort((a, b) => a - b);
  const weights = stops.slice(1).map((stop, index) => weight(stop - (stops[index] ?? stop), waitsShort));
  const total = weights.reduce((sum, one) => sum + one, 0);
  let reached = 0;
  const places = [0, ...weights.map((one) => (reached += total === 0 ? 0 : (one / total) * width))];
  const at = (ms: number) => {
    const next = stops.findIndex((stop) => stop >= ms);
    if (next === -1) return places.at(-1) ?? 0;
    if (next === 0) return places[0] ?? 0;
    const [from, to] = [stops[next - 1] ?? 0, stops[next] ?? 0];
    const [left, right] = [places[next - 1] ?? 0, places[next] ?? 0];
    return left + ((ms - from) / (to - from)) * (right - left);
  };
  return { at, ticks: ticksOf(stops, at, waitsShort) };
}

function weight(gapMs: number, waitsShort: boolean): number {
  return waitsShort ? Math.log1p(gapMs / SHORT_GAP_MS) : gapMs;
}

/** Zero first, since everything counts from it; then the ends of the longest waits, as long as there is room. */
function ticksOf(stops: readonly number[], at: (ms: number) => number, waitsShort: boolean): number[] {
  const [first, last] = [stops[0] ?? 0, stops.at(-1) ?? 0];
  const gap = (index: number) => (stops[index] ?? 0) - (stops[index - 1] ?? 0);
  const ends = stops.map((stop, index) => ({ stop, gap: index === 0 ? 0 : gap(index) }));
  const wanted = waitsShort
    ? ends.sort((a, b) => b.gap - a.gap).map(({ stop }) => stop)
    : evenTimes(first, last);
  const taken: number[] = [];
  for (const ms of [...(first <= 0 && last >= 0 ? [0] : []), first, last, ...wanted])
    if (taken.every((one) => Math.abs(at(one) - at(ms)) >= TICK_APART)) taken.push(ms);
  return taken.sort((a, b) => a - b);
}

/** Round times, at most twelve. */
function evenTimes(first: number, last: number): number[] {
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000];
  const step = steps.find((one) => (last - first) / one <= 12) ?? Math.max(1, (last - first) / 12);
  const from = Math.ceil(first / step);
  const count = Math.max(0, Math.floor(last / step) - from + 1);
  return Array.from({ length: count }, (_, index) => (from + index) * step);
}

/**
 * On which level each of several marks is drawn, so that marks side by side do not hide each other: 0 where there is room,
 * then 1, −1, 2, −2, and so on.
 *
 * @param places in pixels, ascending.
 */
export function levelsOf(places: readonly number[], apart: number): number[] {
  const last = new Map<number, number>();
  return places.map((place) => {
    for (let turn = 0; ; turn++) {
      const level = turn % 2 === 1 ? (turn + 1) / 2 : -turn / 2 || 0;
      if (place - (last.get(level) ?? Number.NEGATIVE_INFINITY) < apart) continue;
      last.set(level, place);
      return level;
    }
  });
}
