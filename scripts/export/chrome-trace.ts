/**
 * Trials in the trace-event format of Chrome, which Perfetto opens: a process for each trial, a thread for each lane, and
 * further threads of it where stretches of time overlap. Times are µs of the ledger's clock.
 *
 * The format has a page that describes it and no schema of its own, and Perfetto's importer is in no package of npm: what is
 * written is held to the part of that page that is used, and to what an importer needs (every thread is named, nothing in one
 * thread overlaps).
 */
import { z } from "zod";
import type { Stretch, Timeline } from "./trial-timeline.ts";

const Id = z.number().int().min(1);
const Micros = z.number().int().min(0);
const Args = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));
const common = { pid: Id, tid: Id, name: z.string().min(1) };

/** The part of the format that is used: complete events, instants of a thread, names of processes and threads. */
export const ChromeTrace = z.strictObject({
  displayTimeUnit: z.literal("ms"),
  traceEvents: z.array(
    z.discriminatedUnion("ph", [
      z.strictObject({
        ...common,
        ph: z.literal("X"),
        cat: z.string().min(1),
        ts: Micros,
        dur: Micros,
        args: Args,
      }),
      z.strictObject({
        ...common,
        ph: z.literal("i"),
        cat: z.string().min(1),
        ts: Micros,
        s: z.literal("t"),
        args: Args,
      }),
      z.strictObject({
        ...common,
        ph: z.literal("M"),
        name: z.enum(["process_name", "thread_name", "thread_sort_index"]),
        args: z.union([
          z.strictObject({ name: z.string() }),
          z.strictObject({ sort_index: z.number().int() }),
        ]),
      }),
    ]),
  ),
});
export type ChromeTrace = z.infer<typeof ChromeTrace>;
type Event = ChromeTrace["traceEvents"][number];

const LANES = ["controller", "model", "subject", "ledger", "runner"];

export function chromeTrace(timelines: readonly Timeline[]): ChromeTrace {
  return ChromeTrace.parse({
    displayTimeUnit: "ms",
    traceEvents: timelines.flatMap((timeline, index) => eventsOf(timeline, index + 1)),
  });
}

function eventsOf({ trial, condition, valid, stretches, moments }: Timeline, pid: number): Event[] {
  const threads = new Map<string, number>();
  const threadOf = (name: string) => {
    const known = threads.get(name) ?? threads.size + 1;
    threads.set(name, known);
    return known;
  };
  // In the order of the lanes, whoever acts first.
  for (const lane of LANES) threadOf(lane);
  const spans = placed(stretches).map(
    ({ stretch, row }): Event => ({
      ...{ ph: "X", pid, tid: threadOf(row), name: stretch.text, cat: stretch.kind },
      ...{ ts: micros(stretch.fromAt), dur: micros(stretch.toAt) - micros(stretch.fromAt) },
      args: { from: stretch.from, ...(stretch.to === null ? { ended: false } : { to: stretch.to }) },
    }),
  );
  const instants = moments.map(
    ({ seq, lane, text, type, at, decides }): Event => ({
      ...{ ph: "i", s: "t", pid, tid: threadOf(lane), name: type, cat: "record", ts: micros(at) },
      args: { record: seq, text, ...(decides.length === 0 ? {} : { decides: [...decides] }) },
    }),
  );
  const names = [...threads].flatMap(([name, tid]): Event[] => [
    { ph: "M", name: "thread_name", pid, tid, args: { name } },
    { ph: "M", name: "thread_sort_index", pid, tid, args: { sort_index: sortIndex(name) } },
  ]);
  const title = `${trial} · ${condition}${valid ? "" : " · invalid"}`;
  return [
    { ph: "M", name: "process_name", pid, tid: 1, args: { name: title } },
    ...names,
    ...spans,
    ...instants,
  ];
}

/** Each stretch in a row of its lane and kind in which none is under way: a thread shows only what lies beside or inside. */
function placed(stretches: readonly Stretch[]): { readonly stretch: Stretch; readonly row: string }[] {
  const freeAt = new Map<string, number>();
  return [...stretches]
    .sort((a, b) => a.fromAt - b.fromAt)
    .map((stretch) => {
      for (let level = 1; ; level++) {
        const row = `${stretch.lane}: ${stretch.kind}${level === 1 ? "" : ` ${level}`}`;
        if ((freeAt.get(row) ?? 0) > stretch.fromAt) continue;
        freeAt.set(row, stretch.toAt);
        return { stretch, row };
      }
    });
}

function sortIndex(name: string): number {
  return (
    LANES.findIndex((lane) => name === lane || name.startsWith(`${lane}:`)) * 100 +
    (name.includes(":") ? 1 : 0)
  );
}

function micros(ms: number): number {
  return Math.round(ms * 1_000);
}
