/** What a text is laid out for: the colours and the width of the stream that it goes to. */
import { type Paint, PLAIN, paintFor } from "./paint.ts";

/** A stream that a text goes to: the process's own, or one that a caller reads. */
export type Outlet = NodeJS.WritableStream & Pick<NodeJS.WriteStream, "isTTY" | "columns">;

export type Page = {
  readonly paint: Paint;
  /** Columns of a line. */
  readonly width: number;
};

/** A pipe or a log has no width of its own; all tables have room in this one. */
const WIDTH_UNKNOWN = 100;
/** In less, words would have to be broken; in more, the eye loses the line. */
const WIDTH_MIN = 60;
const WIDTH_MAX = 140;

export const PLAIN_PAGE: Page = { paint: PLAIN, width: WIDTH_UNKNOWN };

/** The width is that of the terminal, unless the reader prefers another (`COLUMNS`). */
export function pageFor(stream: Outlet, { COLUMNS }: NodeJS.ProcessEnv = process.env): Page {
  const columns = [Number(COLUMNS), stream.isTTY ? stream.columns : 0].find((count) => count > 0);
  const width = Math.min(Math.max(Math.floor(columns ?? WIDTH_UNKNOWN), WIDTH_MIN), WIDTH_MAX);
  return { paint: paintFor(stream), width };
}
