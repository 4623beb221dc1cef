/** The map of a turn as text: its ranges with their answers, what the harness does there, and which named points lie there. */
import { type Progress, progressText, type Range, type TurnMap } from "../../src/summarize/turn-map.ts";
import type { WritePlace } from "../../src/trace/writes.ts";
import { isConvicted, type StoredSweep } from "../stored/stored-sweep.ts";
import { howMany, NOTHING } from "./numbers.ts";
import type { Page } from "./page.ts";
import { renderTextTable } from "./text-table.ts";
import { wrap } from "./wrap.ts";

const COLUMNS = [
  { title: "lost at" },
  { title: "writes", align: "right", whole: true },
  { title: "groups", align: "right", whole: true },
  { title: "ms", align: "right", whole: true },
  { title: "session" },
  { title: "execution" },
  { title: "effects" },
  { title: "model told" },
  { title: "stuck" },
] as const;

export function renderSweep({ run, map, canary, missing }: StoredSweep, { width }: Page): string {
  return [
    `run ${run} · ${map.subject} · ${map.policy}, ${map.destination} · lost by ctx.abort() at ${howMany(map.points, "crash point")}`,
    ...wrap(countedText(map), width),
    "",
    renderTextTable({
      columns: COLUMNS,
      rows: map.ranges.flatMap((range) => [cellsOf(range), `  ${whatHappens(range)}`]),
      width,
    }),
    "",
    ...namedText(map).flatMap((line) => wrap(line, width)),
    ...map.left.map(({ place, why, trial }) => `No answer ${placeText(place)}: ${why} (trial ${trial})`),
    ...(map.moved === 0
      ? []
      : wrap(
          `At ${howMany(map.moved, "point")} the write came under another number than it was counted under: what goes on side by side comes in more than one order.`,
          width,
        )),
    ...wrap(canaryText(canary), width),
    ...(missing.length === 0 ? [] : wrap(`Without a trace: ${missing.join(", ")}.`, width)),
  ].join("\n");
}

function countedText({ writes, groups, differsAt }: TurnMap): string {
  const counted = `The turn makes ${howMany(writes.length, "durable write")} in ${howMany(groups, "commit group")}.`;
  return differsAt === null
    ? `${counted} Counted twice, they are the same in the same order.`
    : `${counted} Counted twice, they differ from write ${differsAt} on.`;
}

function cellsOf(range: Range): string[] {
  const { writes, groups, ms, answers } = range;
  const { session, execution, effects, told, stuck } = answers;
  return [
    rangeText(range),
    String(writes),
    String(groups),
    String(ms),
    session,
    execution,
    effects,
    told,
    stuck,
  ];
}

function whatHappens({ begins, ends, tables, named }: Range): string {
  return [
    begins === ends ? progressOf(begins) : `${progressOf(begins)} → ${progressOf(ends)}`,
    ...(tables.length === 0 ? [] : [`writes ${tables.join(", ")}`]),
    named.length === 0 ? "no named point has shown it" : `shown by ${named.join(", ")}`,
  ].join(" · ");
}

/** Between two writes the outside moves on and the storage does not: a named point may have answers that no write has. */
function namedText({ named, ranges }: TurnMap): string[] {
  const unseen = ranges.filter((range) => range.named.length === 0);
  const shown = new Set(ranges.flatMap((range) => range.named));
  return [
    `${howMany(ranges.length, "range")}, of which ${unseen.length} ${unseen.length === 1 ? "was" : "were"} shown by no named point${unseen.length === 0 ? "" : `: ${unseen.map(({ from }) => placeText(from)).join(", ")}`}.`,
    ...named
      .filter(({ point }) => !shown.has(point))
      .map(({ point, after, answers, trial }) => {
        const where =
          after === null ? "at no write that was counted" : `between after ${after} and before ${after + 1}`;
        const said = answers === null ? `invalid (trial ${trial})` : Object.values(answers).join(" · ");
        return `${point} lies ${where}, with answers of its own: ${said}.`;
      }),
  ];
}

function canaryText(canary: TurnMap | null): string {
  if (canary === null) return "No canary was swept: nothing shows that a window would be found.";
  const { subject, points, ranges } = canary;
  const window = ranges.find(({ answers }) => answers.effects.includes("duplicate"));
  return isConvicted(canary) && window !== undefined
    ? `Canary ${subject} is convicted: of its ${howMany(points, "crash point")}, those at ${rangeText(window)} repeat its effect, and those around them do not.`
    : `Canary ${subject} is NOT convicted: its window was not found, so this sweep proves nothing.`;
}

function rangeText({ from, to }: Pick<Range, "from" | "to">): string {
  const [first, last] = [placeText(from), placeText(to)];
  return first === last ? first : `${first} – ${last}`;
}

function placeText({ number, side }: WritePlace): string {
  return `${side} ${number}`;
}

function progressOf(progress: Progress | null): string {
  return progress === null ? NOTHING : progressText(progress);
}
