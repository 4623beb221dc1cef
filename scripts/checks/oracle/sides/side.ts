/** What a scenario may do to one side, whichever it is. */
import { z } from "zod";
import type { LoggedEvent } from "../normalise.ts";

/** A call's outcome: both generations refuse with a tagged body. */
export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly tag: string };

export type PromptInput = {
  readonly text: string;
  readonly id?: string;
  readonly delivery?: "steer" | "queue";
  readonly resume?: boolean;
};

export type PageInput = {
  readonly limit?: number;
  readonly order?: "asc" | "desc";
  readonly cursor?: string;
};

export interface Side {
  readonly name: "server" | "stand-in";
  createSession(): Promise<string>;
  prompt(session: string, input: PromptInput): Promise<Reply>;
  interrupt(session: string): Promise<Reply>;
  active(session: string): Promise<boolean>;
  /** The durable events after `after` (exclusive), or all. */
  log(session: string, after?: number): Promise<LoggedEvent[]>;
  /** Replays after `after`, then goes on live; resolves with what came up to the first event of that name. */
  follow(session: string, after: number, until: string): Promise<FollowedItem[]>;
  messages(session: string, page: PageInput): Promise<Reply>;
  /** Dies without warning and comes back on the same storage. Nothing but reading touches it. */
  restart(): Promise<void>;
}

export const FollowedItem = z.looseObject({
  type: z.string(),
  durable: z.looseObject({ seq: z.number() }).optional(),
});
export type FollowedItem = z.infer<typeof FollowedItem>;

export const MessagePage = z.object({
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  cursor: z.object({ next: z.string().nullish(), previous: z.string().nullish() }),
});

/** The tag of a refusal, or of whatever was thrown instead. */
export function tagOf(value: unknown): string {
  const tagged = z.looseObject({ _tag: z.string() }).safeParse(value);
  return tagged.success ? tagged.data._tag : `untagged: ${JSON.stringify(value)}`;
}
