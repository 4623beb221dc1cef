/** Arithmetic on sets of whole numbers kept as ranges: a foreign log may leave a gap of any size. */

/** A run of whole numbers, both ends included. */
export type Range = { readonly from: number; readonly to: number };

/** The ranges in order, overlapping and neighbouring ones made into one. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** The ranges without the given numbers. */
export function withoutNumbers(ranges: readonly Range[], numbers: readonly number[]): Range[] {
  const sorted = [...numbers].sort((a, b) => a - b);
  return ranges.flatMap(({ from, to }) => {
    const left: Range[] = [];
    let next = from;
    for (const number of sorted) {
      if (number < next || number > to) continue;
      if (number > next) left.push({ from: next, to: number - 1 });
      next = number + 1;
    }
    return next <= to ? [...left, { from: next, to }] : left;
  });
}

/** Those of the given numbers that lie in the ranges, as ranges. */
export function numbersWithin(ranges: readonly Range[], numbers: readonly number[]): Range[] {
  const inside = numbers.filter((number) => ranges.some(({ from, to }) => from <= number && number <= to));
  return mergeRanges(inside.map((number) => ({ from: number, to: number })));
}
