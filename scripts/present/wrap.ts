/** Wraps prose at 100 columns, so that a terminal and a CI log show the same lines. */

export const WIDTH = 100;

export function wrap(text: string, indent = "", width = WIDTH): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    const longer = line === indent ? line + word : `${line} ${word}`;
    if (longer.length > width && line !== indent) {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line];
}
