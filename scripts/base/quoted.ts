import { printable } from "./printable.ts";

/** As a shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : printable(`'${word.replaceAll("'", "'\\''")}'`);
}
