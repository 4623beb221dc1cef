/** Page cursors: host contract, section 3.2. base64url JSON `{id, order, direction}`; the limit is not carried. */
import { z } from "zod";
import type { Order } from "../types/client-types.ts";
import { invalidCursor } from "./host-errors.ts";

const Cursor = z.object({
  id: z.string(),
  order: z.enum(["asc", "desc"]),
  direction: z.enum(["next", "previous"]),
});
type Cursor = z.infer<typeof Cursor>;

function encodeCursor(cursor: Cursor): string {
  return btoa(JSON.stringify(cursor)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @throws InvalidCursorError */
function decodeCursor(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))));
  } catch {
    throw invalidCursor("The cursor cannot be read");
  }
}

type Position = { cursor: Cursor | undefined; order: Order };

/** @throws InvalidCursorError when both are given: a cursor carries its own order. */
export function positionOf(
  input: { cursor?: string | undefined; order?: Order | undefined },
  byDefault: Order,
): Position {
  if (input.cursor === undefined) return { cursor: undefined, order: input.order ?? byDefault };
  if (input.order !== undefined) throw invalidCursor("A cursor cannot be combined with an order");
  const cursor = decodeCursor(input.cursor);
  return { cursor, order: cursor.order };
}

/** Both neighbours of a page. `next` is set whenever the page holds anything, so a last empty page follows. */
export function cursorsOf(ids: readonly string[], order: Order): { previous?: string; next?: string } {
  const first = ids[0];
  const last = ids.at(-1);
  if (first === undefined || last === undefined) return {};
  return {
    previous: encodeCursor({ id: first, order, direction: "previous" }),
    next: encodeCursor({ id: last, order, direction: "next" }),
  };
}
