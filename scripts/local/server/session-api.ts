/**
 * What the adapter needs of the server's two APIs, in one shape: the older `/session` one (old-api.ts) and the `/api` core
 * (core-api.ts). Both name their prompts and their sessions by ids, and neither knows operations.
 */
import type { LogResponse } from "../../../src/trace/protocol/subject-protocol.ts";

/** How a turn stands. `idle`: it has no answer, and the server works on nothing in this session. */
export type TurnState =
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "running" }
  | { readonly kind: "idle" };

export interface SessionApi {
  /** Whether the server keeps a log of the sessions of this API, shown or not. */
  readonly keepsLog: boolean;
  /** Makes a session and returns its id. */
  create(): Promise<string>;
  /** Whether the session has this prompt already. */
  knows(session: string, prompt: string): Promise<boolean>;
  /** Hands a prompt in; resolves once the server has taken it. */
  prompt(session: string, prompt: string, text: string): Promise<void>;
  /** How the turn of these prompts stands; they are one operation's, in order. */
  state(session: string, prompts: readonly string[]): Promise<TurnState>;
  /** Raw events of the durable log after the cursor, or null where this version does not show it. */
  log(session: string, after: number | null): Promise<Pick<LogResponse, "items"> | null>;
  /** Raw messages, oldest first. */
  messages(session: string): Promise<unknown[]>;
  /** Interrupts the session; whether there was anything to interrupt. */
  interrupt(session: string): Promise<boolean>;
}

let counter = 0;

/**
 * An id for a prompt, of the server's own form: it sorts messages by their ids, which begin with the time in ms times
 * 4096, of which 12 hexadecimal digits are kept.
 */
export function newPromptId(now = Date.now()): string {
  counter = (counter + 1) % 4096;
  const time = (BigInt(now) * 4096n + BigInt(counter)).toString(16).slice(-12);
  return `msg_${time}${crypto.randomUUID().replaceAll("-", "").slice(0, 14)}`;
}
