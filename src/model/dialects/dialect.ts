/**
 * A protocol in which clients speak to a model: how a request is read, and how one and the same answer is written. What a
 * dialect does not say, no dialect decides: numbering, script and records are the same in all of them.
 */
import type { z } from "zod";
import type { Answer } from "../answer.ts";
import type { ModelRequest } from "../request.ts";

export type Json = Record<string, unknown>;

/** One server-sent event: its name, where the protocol has names, and its data. */
export type ServerEvent = { readonly event?: string; readonly data: string };

/** An answer as events, cut where the handler has to stop and record something in between. */
export type AnswerEvents = {
  /** Up to the first words. The stream has visibly begun after these. */
  readonly begin: readonly ServerEvent[];
  /** The rest of the text, and the tool call up to its last fragment. */
  readonly rest: readonly ServerEvent[];
  /**
   * What lets a client act: the last fragment of the arguments (some clients run a tool as soon as its arguments
   * parse), why the answer ended, usage.
   */
  readonly finish: readonly ServerEvent[];
};

export type Refused = {
  readonly type: "invalid_request_error" | "server_error";
  readonly code: string;
  readonly message: string;
  /** The part of the request that is meant; null for all of it. */
  readonly param: string | null;
};

export type Dialect = {
  /** Strict in what the model relies on, tolerant of every other field. */
  readonly request: z.ZodType<ModelRequest>;
  /** @param model As the request named it. */
  readonly events: (answer: Answer, model: string) => AnswerEvents;
  readonly whole: (answer: Answer, model: string) => Json;
  /** Body of an answer with a status of failure. */
  readonly error: (refused: Refused) => Json;
  /** What ends a stream that breaks off, so that no client takes it for complete. */
  readonly brokenOff: (refused: Refused) => ServerEvent;
};

export function halves(text: string): [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
