/**
 * Refusals: a closed set of codes, each with one status, and the sentence that explains it. A refusal is thrown
 * inside the transaction that it stops, so that a refused request leaves no trace in storage.
 */
import type { z } from "zod";
import type { ErrorBody } from "../../src/trace/protocol/ledger-protocol.ts";

const STATUS_OF = {
  "secret-not-configured": 503,
  unauthorized: 401,
  "route-unknown": 404,
  "trial-id-invalid": 400,
  "body-too-large": 413,
  "body-not-json": 400,
  "body-invalid": 400,
  "query-invalid": 400,
  "trial-unknown": 404,
  "trial-exists": 409,
  "trial-not-started": 409,
  "trial-already-started": 409,
  "trial-ended": 409,
  "source-not-allowed": 403,
  "attempt-rejected": 409,
  "receipt-undeliverable": 409,
  "hold-unknown": 404,
  "hold-released": 409,
  "hold-dropped": 409,
  "call-unknown": 404,
  // Read by nobody: the connection it would go to is closed. 499 is nginx's number for that.
  "caller-gone": 499,
} as const;
export type RefusalCode = keyof typeof STATUS_OF;

export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }

  toResponse(): Response {
    return errorResponse(STATUS_OF[this.code], this.code, this.message);
  }
}

export function errorResponse(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } } satisfies ErrorBody, { status });
}

/** Answers a refusal as such; anything else is a fault of the ledger, and the caller learns nothing from it. */
export function answerError(error: unknown): Response {
  if (error instanceof Refusal) return error.toResponse();
  console.error(error);
  return errorResponse(500, "ledger-fault", "The ledger failed; whether it recorded anything is unknown.");
}

/** Parses what came in, or refuses with a sentence that shows the path and what was expected there. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown, part: "body" | "query"): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = [part, ...(issue?.path ?? [])].map(String).join(".").slice(0, 300);
  throw new Refusal(`${part}-invalid`, `${path}: ${issue === undefined ? "invalid" : explain(issue)}.`);
}

function explain(issue: z.core.$ZodIssue): string {
  // zod says only "Invalid input" when no member of a union fits.
  if (issue.code === "invalid_union" && issue.discriminator !== undefined)
    return `no known ${issue.discriminator}; expected one of those in src/trace/records.ts`;
  return issue.message.slice(0, 600);
}
