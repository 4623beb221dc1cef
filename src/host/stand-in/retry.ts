/**
 * Retry of a provider failure: host contract, section 10.1, newest reading (10 retries, 2 s doubling, capped at
 * 10 s, jittered). Pure: what happened and how often in, what to do next out.
 */
import type { ProviderFailure } from "./provider-failure.ts";

export type RetryPolicy = {
  readonly retries: number;
  readonly timeoutRetries: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** Longest `retry-after` that is honoured. */
  readonly retryAfterCapMs: number;
};

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  retries: 10,
  timeoutRetries: 3,
  baseMs: 2_000,
  capMs: 10_000,
  retryAfterCapMs: 15 * 60_000,
};

type RetryDecision = { retry: true; attempt: number; delayMs: number } | { retry: false };

/** @param failed - How many times this step has been retried already. */
export function decideRetry(
  failure: ProviderFailure,
  failed: number,
  policy: RetryPolicy,
  random: () => number,
): RetryDecision {
  const limit = failure.timedOut ? Math.min(policy.timeoutRetries, policy.retries) : policy.retries;
  if (!failure.retryable || failed >= limit) return { retry: false };
  return { retry: true, attempt: failed + 1, delayMs: delayOf(failure, failed, policy, random) };
}

function delayOf(
  failure: ProviderFailure,
  failed: number,
  policy: RetryPolicy,
  random: () => number,
): number {
  const after = failure.retryAfterMs;
  if (after !== undefined && after <= policy.retryAfterCapMs) return after;
  const backoff = Math.min(policy.baseMs * 2 ** failed, policy.capMs);
  // Equal jitter: never less than half, so that the budget stays near the published 84 s.
  return Math.round(backoff * (0.5 + random() / 2));
}
