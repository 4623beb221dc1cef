/**
 * The law: distinct effects acknowledged ≤ effects committed ≤ attempts received, and nothing is acknowledged that was
 * not committed. It holds whatever the subject does; a breach means that the kit is wrong.
 */
import { z } from "zod";
import { Count } from "../trace/ids.ts";
import type { CaseFile } from "./case-file.ts";

export const Law = z.strictObject({
  acknowledged: Count,
  committed: Count,
  received: Count,
  holds: z.boolean(),
});
export type Law = z.infer<typeof Law>;

export function checkLaw(file: CaseFile): Law {
  const committed = new Set(file.of("effect.committed").map(({ effect }) => effect));
  const acknowledged = new Set(file.of("receipt.sent").map(({ effect }) => effect));
  const commits = file.of("effect.committed").length;
  const received = file.of("attempt.received").length;
  return {
    acknowledged: acknowledged.size,
    committed: commits,
    received,
    holds:
      [...acknowledged].every((effect) => committed.has(effect)) &&
      acknowledged.size <= commits &&
      commits <= received,
  };
}
