/**
 * The shape of what both sides write: for every event that both wrote, its version and the fields of its payload.
 * Readers of a log depend on them as much as on the order of events. Pure.
 */
import type { VocabularyDifference } from "./compare-sides.ts";
import { type LoggedEvent, nameOf } from "./normalise.ts";
import type { Observation } from "./observation.ts";

export function payloadsOf(
  server: Iterable<LoggedEvent>,
  standIn: Iterable<LoggedEvent>,
  vocabulary: readonly VocabularyDifference[],
): { server: Observation[]; standIn: Observation[] } {
  const renamed = new Map(
    vocabulary.flatMap((entry) => (entry.kind === "renamed" ? [[entry.server, entry.standIn] as const] : [])),
  );
  const shapes = { server: shapesOf(server, renamed), standIn: shapesOf(standIn, new Map()) };
  const shared = [...shapes.server.keys()].filter((name) => shapes.standIn.has(name)).sort();
  const observe = (side: ReadonlyMap<string, string>) =>
    shared.map(
      (name): Observation => ({
        rule: `payload.${name}`,
        sentence: "Version and fields of the event's payload.",
        section: "5.2",
        found: { kind: "value", value: side.get(name) ?? "" },
      }),
    );
  return { server: observe(shapes.server), standIn: observe(shapes.standIn) };
}

/** Fields are those of any event of that name, since some are optional. */
function shapesOf(events: Iterable<LoggedEvent>, renamed: ReadonlyMap<string, string>): Map<string, string> {
  const seen = new Map<string, { version: number; fields: Set<string> }>();
  for (const event of events) {
    const own = nameOf(event.type);
    const name = renamed.get(own) ?? own;
    const shape = seen.get(name) ?? { version: event.durable.version, fields: new Set() };
    for (const field of Object.keys(event.data)) shape.fields.add(field);
    seen.set(name, shape);
  }
  return new Map(
    [...seen].map(([name, { version, fields }]) => [name, `v${version}: ${[...fields].sort().join(" ")}`]),
  );
}
