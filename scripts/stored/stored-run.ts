/**
 * `run.json` in a run's folder: the plan that was carried out and what it ran on. The judge needs it to notice a
 * planned trial whose trace is missing, and a resumed run to know what is left to do.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RunId, ShortText, TrialId } from "../../src/trace/ids.ts";
import { HostKind } from "../../src/trace/levels.ts";
import { Environment, TrialSpec } from "../../src/trace/spec.ts";
import { readRegular } from "../base/regular-file.ts";
import { writeWhole } from "../base/whole-file.ts";

export const RUN_FILE = "run.json";
/** Far above the plan of the largest run. */
const PLAN_BYTES_MAX = 256 * 1024 * 1024;
const UNREADABLE = `${RUN_FILE} cannot be read, so a missing trace would not be noticed`;

/** The part that the judge reads back: older files have it too. */
const StoredRun = z.object({
  run: RunId,
  experiment: z.string(),
  seed: z.number().int(),
  specs: z.array(z.object({ trial: TrialId, condition: z.string(), canary: z.boolean() })),
  resumptions: z.array(z.unknown()).default([]),
});
export type StoredRun = z.infer<typeof StoredRun>;

/** All of it. */
const StoredPlan = z.object({
  run: RunId,
  experiment: z.string(),
  seed: z.number().int(),
  host: HostKind.exclude(["server", "none"]),
  specs: z.array(TrialSpec).min(1),
  commandLine: z.array(ShortText),
  environment: Environment,
  /** How often the run was taken up again, and which trials were run then. */
  resumptions: z
    .array(
      z.object({ startedAt: z.iso.datetime(), commandLine: z.array(ShortText), trials: z.array(TrialId) }),
    )
    .default([]),
});
export type StoredPlan = z.infer<typeof StoredPlan>;

/** Null when the folder has no such file; a sentence when it cannot be read. */
export async function readStoredRun(folder: string): Promise<StoredRun | string | null> {
  const path = join(folder, RUN_FILE);
  if (!existsSync(path)) return null;
  try {
    return parseStoredRun(readRegular(path, PLAN_BYTES_MAX));
  } catch {
    return UNREADABLE;
  }
}

/** The same of a text that was read elsewhere. */
export function parseStoredRun(text: string): StoredRun | string {
  try {
    return StoredRun.parse(JSON.parse(text));
  } catch {
    return UNREADABLE;
  }
}

/** @throws when there is none, or when it is not what this version of the kit writes. */
export async function readStoredPlan(folder: string): Promise<StoredPlan> {
  return StoredPlan.parse(JSON.parse(readRegular(join(folder, RUN_FILE), PLAN_BYTES_MAX)));
}

/** The file is replaced as a whole, so that a crash leaves the old one. @throws MachineError when it cannot be written. */
export async function writeStoredPlan(folder: string, plan: Readonly<StoredPlan>): Promise<void> {
  await writeWhole(join(folder, RUN_FILE), `${JSON.stringify(plan, null, 2)}\n`);
}
