/**
 * Text of somebody else's, made fit for a terminal and for one line: what would move the cursor, change colours, begin a
 * line or turn the direction of writing is shown as an escape. It is applied to values before they are laid out, since the
 * kit's own colours and line breaks come with the layout.
 */

// Controls, line and paragraph separators, marks that turn the direction, characters without width, halves of characters.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Almost every text is of these alone, which is found out in a tenth of the time. */
const ORDINARY = /^[ -~]*$/;

export function printable(text: string): string {
  if (ORDINARY.test(text)) return text;
  return text.replace(UNPRINTABLE, (found) => NAMES[found] ?? escaped(found));
}

/** A text with line breaks of its own that are meant. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** The same for every text in a value of plain data, the names of fields included. What needs no change is not copied. */
export function printableData<T>(value: T): T {
  return changed(value) as T;
}

/** As JSON on one line, which says the same to whoever parses it. */
export function printableJson(value: unknown): string {
  // What is left of these stands inside of strings, where an escape may stand for each half of a character.
  return JSON.stringify(value).replace(UNPRINTABLE, (found) => found.split("").map(escaped).join(""));
}

const NAMES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  const digits = code.toString(16).padStart(4, "0");
  return code > 0xffff ? `\\u{${digits}}` : `\\u${digits}`;
}

function changed(value: unknown): unknown {
  if (typeof value === "string") return printable(value);
  if (Array.isArray(value)) {
    const items = value.map(changed);
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  let isSame = true;
  const next: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) {
    const [shown, other] = [printable(name), changed(item)];
    isSame &&= shown === name && Object.is(other, item);
    next.push([shown, other]);
  }
  return isSame ? value : Object.fromEntries(next);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
