/** How many trials it takes to see what is rare. Supposes independent trials. */
import { CONFIDENCE } from "./rate.ts";

/** The smallest number of trials that shows at least one event of this rate with this probability. */
export function samplesForRate(rate: number, confidence = CONFIDENCE): number {
  for (const [name, share] of Object.entries({ rate, confidence }))
    if (!(share > 0 && share <= 1)) throw new RangeError(`${name} ${share} is not above 0 and at most 1`);
  if (confidence === 1 && rate < 1) return Number.POSITIVE_INFINITY;
  if (rate === 1) return 1;
  const samples = Math.ceil(Math.log1p(-confidence) / Math.log1p(-rate));
  // The quotient of two logarithms may come out a little above a whole number that is enough.
  return samples > 1 && chanceToSee(rate, samples - 1) >= confidence ? samples - 1 : samples;
}

/** The probability of at least one event of this rate in so many trials. */
export function chanceToSee(rate: number, trials: number): number {
  return rate === 1 ? Math.min(1, trials) : -Math.expm1(trials * Math.log1p(-rate));
}
