/** Wraps prose at 100 columns, so that a terminal and a CI log show the same lines. Commands are left whole. */

export const WIDTH = 100;

export function wrap(text: string, indent = ""): string[] {
  // A command is copied, so it stays on one line whatever its length.
  if (/^(judge|again): /.test(text)) return [indent + text];
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    const longer = line === indent || line.trim() === "" ? line + word : `${line} ${word}`;
    if (longer.length > WIDTH && line.trim() !== "") {
      lines.push(line.trimEnd());
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line.trimEnd()];
}
