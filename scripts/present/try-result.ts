/** What `try --json` prints: the answer, and the run as other commands tell it. */
import type { z } from "zod";
import { RunResult } from "./json-result.ts";
import { TryAnswer } from "./try-answer.ts";

export const TryResult = TryAnswer.extend({ run: RunResult });
export type TryResult = z.infer<typeof TryResult>;
