/**
 * A failed provider request, classified: host contract, sections 10.1 and 10.4.
 */
import type { SessionError } from "../types/messages.ts";

export type ProviderFailure = {
  readonly error: SessionError;
  readonly retryable: boolean;
  readonly timedOut: boolean;
  readonly contextOverflow: boolean;
  readonly retryAfterMs?: number;
};

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, options?: ErrorOptions) {
    super(failure.error.message, options);
    this.failure = failure;
  }
}

function failure(type: string, message: string, retryable: boolean, status?: number): ProviderFailure {
  return {
    error: { type, message, ...(status === undefined ? {} : { status }) },
    retryable,
    timedOut: false,
    contextOverflow: false,
  };
}

export const noRoute = (message: string) => failure("provider.no-route", message, false);
export const transportFailure = (message: string) => failure("provider.transport", message, true);
export const timeoutFailure = (message: string) => ({ ...transportFailure(message), timedOut: true });
export const incompleteStream = () =>
  failure("provider.transport", "The provider stream ended without a finish reason", true);
export const invalidOutput = (message: string) => failure("provider.invalid-output", message, false);
export const contentFiltered = () =>
  failure("provider.content-filter", "The provider's content filter stopped the answer", false);
/** An error object inside the stream says nothing reliable about its cause: unknown, and retried (newer trees). */
export const streamError = (message: string) => failure("provider.unknown", message, true);

const OVERFLOW = /context_length_exceeded|maximum context length|context window/i;
const QUOTA = /insufficient_quota/i;
const POLICY = /content_policy|content_filter/i;

/** What an HTTP status means. `body` is only searched for the well-known codes. */
export function httpFailure(status: number, body: string, headers: Headers, now: number): ProviderFailure {
  const base = classify(status, body);
  const override = headers.get("x-should-retry");
  const after = retryAfter(headers, now);
  const honoursAfter = base.error.type === "provider.rate-limit" || base.error.type === "provider.internal";
  return {
    ...base,
    ...(override === "true" ? { retryable: true } : override === "false" ? { retryable: false } : {}),
    ...(after !== undefined && honoursAfter ? { retryAfterMs: after } : {}),
  };
}

function classify(status: number, body: string): ProviderFailure {
  const message = `The provider answered ${status}${body === "" ? "" : `: ${body.slice(0, 500)}`}`;
  if (QUOTA.test(body) || status === 402) return failure("provider.quota", message, false, status);
  if (status === 429) return failure("provider.rate-limit", message, true, status);
  if (status === 401 || status === 403) return failure("provider.auth", message, false, status);
  if (status === 408 || status === 409 || status >= 500)
    return failure("provider.internal", message, true, status);
  if (OVERFLOW.test(body))
    return { ...failure("provider.invalid-request", message, false, status), contextOverflow: true };
  if (POLICY.test(body)) return failure("provider.content-filter", message, false, status);
  if (status >= 400) return failure("provider.invalid-request", message, false, status);
  return failure("provider.unknown", message, true, status);
}

function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && Number.isFinite(Number(ms))) return Number(ms);
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
