import { expect, test } from "vitest";
import { httpFailure, incompleteStream, noRoute, type ProviderFailure } from "./provider-failure.ts";
import { DEFAULT_RETRY_POLICY, decideRetry } from "./retry.ts";

const half = () => 1;
const answered = (status: number, headers: Record<string, string> = {}, body = "") =>
  httpFailure(status, body, new Headers(headers), 1_000_000);

function delays(failure: ProviderFailure): number[] {
  const seen: number[] = [];
  for (let failed = 0; ; failed++) {
    const decision = decideRetry(failure, failed, DEFAULT_RETRY_POLICY, half);
    if (!decision.retry) return seen;
    expect(decision.attempt).toBe(failed + 1);
    seen.push(decision.delayMs);
  }
}

test("ten retries, doubling from two seconds, capped at ten", () => {
  expect(delays(answered(503))).toEqual([2_000, 4_000, 8_000, ...Array.from({ length: 7 }, () => 10_000)]);
});

test("jitter takes off at most half", () => {
  const decision = decideRetry(answered(500), 0, DEFAULT_RETRY_POLICY, () => 0);
  expect(decision).toEqual({ retry: true, attempt: 1, delayMs: 1_000 });
});

test("a timeout is retried three times", () => {
  expect(delays({ ...answered(500), timedOut: true })).toHaveLength(3);
});

test.each([408, 409, 429, 500, 502, 503, 529])("%i is retried", (status) => {
  expect(answered(status).retryable).toBe(true);
});

test.each([400, 401, 402, 403, 404, 413, 422])("%i is not retried", (status) => {
  expect(delays(answered(status))).toEqual([]);
});

test("a stream that ended incomplete is retried, a missing route is not", () => {
  expect(delays(incompleteStream())).toHaveLength(10);
  expect(delays(noRoute("none"))).toEqual([]);
});

test("x-should-retry overrides the status, both ways", () => {
  expect(answered(503, { "x-should-retry": "false" }).retryable).toBe(false);
  expect(answered(400, { "x-should-retry": "true" }).retryable).toBe(true);
});

test("retry-after is honoured in seconds, milliseconds and as a date, up to 15 minutes", () => {
  const first = (headers: Record<string, string>) => delays(answered(429, headers))[0];
  expect(first({ "retry-after": "7" })).toBe(7_000);
  expect(first({ "retry-after-ms": "250" })).toBe(250);
  expect(first({ "retry-after": new Date(1_030_000).toUTCString() })).toBe(30_000);
  expect(first({ "retry-after": "901" })).toBe(2_000);
});

test("quota, policy and overflow are recognised by their codes", () => {
  expect(answered(429, {}, "insufficient_quota")).toMatchObject({
    error: { type: "provider.quota", status: 429 },
    retryable: false,
  });
  expect(answered(400, {}, "content_policy_violation").error.type).toBe("provider.content-filter");
  expect(answered(400, {}, "context_length_exceeded")).toMatchObject({
    contextOverflow: true,
    retryable: false,
  });
});
