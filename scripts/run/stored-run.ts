/**
 * `run.json` in a run's folder: the plan that was carried out and what it ran on. The judge needs it for one thing, to
 * notice a planned trial whose trace is missing.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RunId, TrialId } from "../../src/trace/ids.ts";

export const RUN_FILE = "run.json";

/** The part that is read back; the file holds more. */
const StoredRun = z.object({
  run: RunId,
  experiment: z.string(),
  seed: z.number().int(),
  specs: z.array(z.object({ trial: TrialId, condition: z.string(), canary: z.boolean() })),
});
export type StoredRun = z.infer<typeof StoredRun>;

/** Null when the folder has no such file; a sentence when it cannot be read. */
export async function readStoredRun(folder: string): Promise<StoredRun | string | null> {
  const path = join(folder, RUN_FILE);
  if (!existsSync(path)) return null;
  try {
    return StoredRun.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return `${RUN_FILE} cannot be read, so a missing trace would not be noticed`;
  }
}
