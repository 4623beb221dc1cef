/**
 * Whose request it is that leaves an agent's Worker: which trial's, and which life of which object sent it. What is laid over the
 * Worker says so in headers. Where they are missing (another client than `fetch`, a context that got lost), a model
 * request has the marker in its prompt, and a process that serves one trial has no other.
 *
 * Nothing is guessed: what none of these tells is null, and a request of no known trial is refused.
 */
import { z } from "zod";
import { trialInPrompt } from "../model/prompt.ts";
import { OpaqueId, TrialId } from "../trace/ids.ts";

export const TRIAL_HEADER = "x-kit-trial";
export const ACTIVATION_HEADER = "x-kit-activation";
export const GENERATION_HEADER = "x-kit-generation";
export const SESSION_HEADER = "x-kit-session";

/** None of them goes on to whoever answers the request. */
export const KIT_HEADERS = [TRIAL_HEADER, ACTIVATION_HEADER, GENERATION_HEADER, SESSION_HEADER] as const;

export type Attribution = {
  readonly trial: TrialId;
  readonly activation: string | null;
  readonly generation: number | null;
  readonly session: string | null;
  /** What tells the trial. */
  readonly by: "headers" | "prompt" | "only-trial";
};

const Generation = z.coerce.number().int().min(1);

type Asked = {
  readonly headers: Headers;
  /** Of a model request, its text; null for any other. */
  readonly prompt: string | null;
  /** The trial of a process that serves one; null where it serves several. */
  readonly onlyTrial: TrialId | null;
};

/** Null for a request of no known trial. */
export function attribute({ headers, prompt, onlyTrial }: Asked): Attribution | null {
  const named = read(TrialId, headers.get(TRIAL_HEADER));
  if (named !== null)
    return {
      trial: named,
      activation: read(OpaqueId, headers.get(ACTIVATION_HEADER)),
      generation: read(Generation, headers.get(GENERATION_HEADER)),
      session: read(OpaqueId, headers.get(SESSION_HEADER)),
      by: "headers",
    };
  const nobody = { activation: null, generation: null, session: null };
  const marked = prompt === null ? null : trialInPrompt(prompt);
  if (marked !== null) return { trial: marked, ...nobody, by: "prompt" };
  return onlyTrial === null ? null : { trial: onlyTrial, ...nobody, by: "only-trial" };
}

function read<T>(schema: z.ZodType<T>, text: string | null): T | null {
  if (text === null) return null;
  const parsed = schema.safeParse(text);
  return parsed.success ? parsed.data : null;
}
