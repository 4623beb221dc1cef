/**
 * Shapes of the ids and numbers that cross a process. Validated before use everywhere, because they end up
 * in object names, URLs and file names.
 */
import { z } from "zod";

/** Lower-case letters, digits, `.`, `_`, `-`; at most 100 characters; safe in a URL and as a file name. */
export const TrialId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,99}$/,
    "use 1-100 of a-z, 0-9, '.', '_', '-', starting with a letter or digit",
  );
export type TrialId = z.infer<typeof TrialId>;

/** The same shape as a trial id, shorter, so that `<run>-<trial>` names stay short. */
export const RunId = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,59}$/, "use 1-60 of a-z, 0-9, '.', '_', '-'");
export type RunId = z.infer<typeof RunId>;

/** What `OpenCodeHarness` accepts as an operation id. */
export const OperationId = z.string().regex(/^[A-Za-z0-9._~-]{1,100}$/);
/** Opaque ids made by a host or a model: bounded, never interpreted. */
export const OpaqueId = z.string().min(1).max(200);
/** The action an operation intends: the unit in which effects are counted. */
export const Action = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,120}$/, "use 1-120 of A-Z, a-z, 0-9, '.', '_', ':', '-'");
export const ActionKey = z.string().min(1).max(200);
/** Lower-case hexadecimal SHA-256. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A count or index, from 0. */
export const Count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
/** Milliseconds: a duration, or a time since the epoch on the clock that the field names. */
export const Millis = z.number().min(0).max(Number.MAX_SAFE_INTEGER).meta({ unit: "ms" });
export const ShortText = z.string().max(2_000);

/** Name of a real model, as the platform's AI binding takes it. */
export const ModelId = z
  .string()
  .regex(/^[A-Za-z0-9@][A-Za-z0-9@/._:-]{0,119}$/, "use letters, digits and @ / . _ : -, at most 120");
