/** Breaks text into lines. A colour that is broken ends and begins again with the line. */
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Prose: broken at spaces alone, so that a path or a command in it can be copied, and may be too long for its line. */
export function wrap(text: string, width: number, indent = ""): string[] {
  return wrapAnsi(text, width - indent.length)
    .split("\n")
    .map((line) => `${indent}${line}`.trimEnd());
}

/**
 * A value, never wider than `width`: broken at spaces. A word that is too long begins a line of its own and is broken
 * after hyphens and dashes, and what is too long without one, anywhere.
 */
export function fold(text: string, width: number): string[] {
  const hyphenated = text.replace(/( ?)(\S+)/g, (whole, space: string, word: string) =>
    stringWidth(word) <= width ? whole : `${space === "" ? "" : "\n"}${brokenAtHyphens(word, width)}`,
  );
  return wrapAnsi(eachLineColoured(hyphenated), width, { hard: true }).split("\n");
}

/** Columns that the widest line of `text` takes. */
export function widthOf(text: string): number {
  return Math.max(...text.split("\n").map((line) => stringWidth(line)));
}

/** The least width to which `text` can be folded with its words whole. */
export function widthUnbroken(text: string): number {
  return Math.max(...text.split(/\s|(?<=[-–])/).map((piece) => stringWidth(piece)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins and ends with one.
const COLOURED = /(\u001b\[[\d;]*m)([^\u001b]*)(\u001b\[[\d;]*m)/g;

/** The library carries a colour over its own breaks, and not over those that are there. */
function eachLineColoured(text: string): string {
  return text.replace(
    COLOURED,
    (_, on: string, run: string, off: string) => `${on}${run.replaceAll("\n", `${off}\n${on}`)}${off}`,
  );
}

function brokenAtHyphens(word: string, width: number): string {
  let line = "";
  let broken = "";
  for (const piece of word.split(/(?<=[-–])/)) {
    const fits = stringWidth(line + piece) <= width;
    broken += line === "" || fits ? piece : `\n${piece}`;
    line = fits ? line + piece : piece;
  }
  return broken;
}
