/** How deep a JSON text nests, looked at before it is parsed: to parse a text of nothing but brackets takes seconds. */

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/** Whether arrays and objects stand more than `most` deep in each other. What is no JSON may be answered either way. */
export function nestsDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth += 1;
    else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** Where the string ends that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at += 1;
    else if (unit === QUOTE) return at;
  }
  return text.length;
}
