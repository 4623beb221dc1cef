/** The ways in which an upgrade is looked at, and the names that conditions have under each. */

/** Under one set alone, from the first to the second in mid-turn, and from the second to the first. */
export const WAYS = ["under-a", "under-b", "in-flight", "back"] as const;
export type Way = (typeof WAYS)[number];

const MARK = "/way=";

export function conditionUnder(condition: string, way: Way): string {
  return `${condition}${MARK}${way}`;
}

/** The condition and the way that a name of a run of `upgrade` tells; null for any other name. */
export function wayOf(name: string): { readonly condition: string; readonly way: Way } | null {
  const at = name.lastIndexOf(MARK);
  const way = WAYS.find((one) => at >= 0 && name.slice(at + MARK.length) === one);
  return way === undefined ? null : { condition: name.slice(0, at), way };
}
