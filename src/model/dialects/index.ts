/** Every dialect by the path under which clients ask for it, below the base URL that they are given. */
import { z } from "zod";
import { chatCompletions } from "./chat-completions.ts";
import type { Dialect } from "./dialect.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

export const DIALECTS = {
  "chat/completions": chatCompletions,
  responses,
  messages,
} as const satisfies Record<string, Dialect>;

export type DialectPath = keyof typeof DIALECTS;
export const DIALECT_PATHS = Object.keys(DIALECTS) as readonly DialectPath[];
export const DialectPath = z.enum(DIALECT_PATHS);
