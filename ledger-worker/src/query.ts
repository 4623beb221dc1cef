/** Numbers in a query string. */

/** Anything but a number stays text, so that the schema names it in its refusal. */
export function numberOf(text: string | undefined, absent: number): number | string {
  if (text === undefined) return absent;
  return /^\d{1,16}$/.test(text) ? Number(text) : text;
}
