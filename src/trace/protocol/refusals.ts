/**
 * What the kit's processes say when they refuse a request: a closed set of codes, each with one status, and the one
 * shape that carries them. A name says first what the complaint is about, then what is wrong with it.
 *
 * Leaves to others: the sentence beside a code, which belongs to whoever refuses, and how it is sent
 * (`src/link/admission.ts`).
 */
import { z } from "zod";

export const REFUSAL_STATUS = {
  // Of the admission check, in the order in which it looks.
  "secret-not-configured": 503,
  "secret-wrong": 401,
  "method-unknown": 405,
  "body-too-large": 413,
  "route-unknown": 404,
  "trial-id-invalid": 400,
  "query-invalid": 400,
  "body-not-json": 400,
  "body-invalid": 400,

  // Of a trial, in the ledger and in the controller.
  "trial-unknown": 404,
  "trial-exists": 409,
  "trial-not-started": 409,
  "trial-already-started": 409,
  "trial-ended": 409,
  "levels-contradict": 400,
  "source-not-allowed": 403,
  "attempt-rejected": 409,
  "receipt-undeliverable": 409,
  "hold-unknown": 404,
  "hold-released": 409,
  "hold-dropped": 409,
  "call-unknown": 404,

  // Of a subject, be it an object or a server.
  "subject-unknown": 404,
  "operation-unknown": 404,
  "session-unknown": 404,
  "canary-not-offered": 409,
  "reset-not-offered": 409,
  "object-lost": 502,

  // Read by nobody: the connection it would go to is closed. 499 is nginx's number for that.
  "caller-gone": 499,

  // Not refusals but faults: they say nothing about what was done before.
  "ledger-failed": 500,
  "controller-failed": 500,
  "subject-failed": 500,
  "slot-failed": 500,
} as const;
export type RefusalCode = keyof typeof REFUSAL_STATUS;

/** The body of every refusal. `code` is any text here: whoever reads it may be older than who wrote it. */
export const ErrorBody = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) });
export type ErrorBody = z.infer<typeof ErrorBody>;
