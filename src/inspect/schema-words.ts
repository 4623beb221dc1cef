/** A column and an index in one line each, as they are shown and compared by whoever reads. Pure. */
import type { ColumnObservation, IndexObservation } from "../trace/index.ts";

/** `INTEGER, not null, default 0, key 1`. */
export function columnText({ type, notNull, default: fallback, pk }: ColumnObservation): string {
  return [
    type || "no type",
    ...(notNull === true ? ["not null"] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
    ...(pk === undefined ? [] : [`key ${pk}`]),
  ].join(", ");
}

/** `session_id, seq, unique`; `there` where its columns were not read. */
export function indexText({ columns, unique, partial }: IndexObservation): string {
  const on = columns === undefined ? "there" : columns.map((column) => column ?? "(expression)").join(", ");
  return [on, ...(unique === true ? ["unique"] : []), ...(partial === true ? ["partial"] : [])].join(", ");
}
