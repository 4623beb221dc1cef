/**
 * The one order of names, in verdicts, counts and tables alike: by code unit, so that a stored run reads the same on a
 * machine with another language. For `sort`.
 */
export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
