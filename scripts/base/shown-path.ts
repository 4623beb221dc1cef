import { relative } from "node:path";
import { printable } from "./printable.ts";

/** A path as the reader would type it here. */
export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return printable(near === "" ? "." : near.startsWith("..") ? path : near);
}
