/**
 * How a client of a user's Worker hands work in and asks what became of it: the functions of `defineTrial`. They run in her
 * Worker, so that they reach it as her own code does.
 */
import type { Claim } from "../trace/records.ts";

/** What each of the functions is given. `Env`: the bindings of her Worker. */
export type ClientCall<Env = unknown> = {
  readonly env: Env;
  /** A stub of the object that the trial uses, under the name below. */
  // biome-ignore lint/suspicious/noExplicitAny: its methods are those of her class, which a stub's type has to name.
  readonly object: any;
  readonly name: string;
  /** Her own default handler, under any host name. */
  readonly fetch: (input: Request | string, init?: RequestInit) => Promise<Response>;
  readonly operationId: string;
};

export type SubmitCall<Env = unknown> = ClientCall<Env> & {
  /** What is asked for. The line in brackets at its end has to reach the model with it. */
  readonly prompt: string;
};

/** `done` says that the work is done; `claim` where that is not what it says. */
export type Result =
  | { readonly status: "pending" }
  | {
      readonly status: "done";
      readonly text?: string | undefined;
      readonly claim?: Claim["claim"] | undefined;
    }
  | {
      readonly status: "unanswered";
      readonly reason?: string | undefined;
      readonly text?: string | undefined;
    };

export type Client<Env = unknown> = {
  /** May give back `{ accepted }`: whether it was taken as new work. */
  readonly submit: (call: SubmitCall<Env>) => unknown;
  /** Whether her Worker knows an operation again that is handed in twice: a client that came back then hands it in once more. */
  readonly again?: boolean;
  /** Asked again and again until it is no longer pending. */
  readonly result: (call: ClientCall<Env>) => Promise<Result> | Result;
  /** Later work that changes nothing outside; absent where an agent is asked for it by a prompt. Resolves when it is done. */
  readonly later?: (call: ClientCall<Env>) => Promise<unknown>;
  /** The conversation, if her Worker shows one. */
  readonly transcript?: (call: ClientCall<Env>) => Promise<readonly unknown[]>;
};
