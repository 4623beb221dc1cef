/**
 * The experiments by name: the one list that feeds argument validation, `--help` and `list`.
 * To add one, write its file and name it here.
 */
import { type Condition, conditionsOf } from "./conditions.ts";
import { continuity } from "./continuity.ts";
import { controls } from "./controls.ts";
import { deploys } from "./deploys.ts";
import { drills } from "./drills.ts";
import { exhaustion } from "./exhaustion.ts";
import { Experiment } from "./experiment-schema.ts";
import { field } from "./field.ts";
import { gates } from "./gates.ts";
import { harnesses } from "./harnesses.ts";
import { rebinding } from "./rebinding.ts";
import { recovery } from "./recovery.ts";
import type { WrittenExperiment } from "./shape.ts";
import { showComplaints } from "./show-complaints.ts";

const EXPERIMENTS = {
  recovery,
  exhaustion,
  controls,
  gates,
  harnesses,
  continuity,
  rebinding,
  drills,
  deploys,
  field,
} as const satisfies Record<string, WrittenExperiment>;

export const DEFAULT_EXPERIMENT = "recovery" satisfies keyof typeof EXPERIMENTS;

/** A declared experiment that does not hold: its author has to change the file. */
export class InvalidExperimentError extends Error {
  override readonly name = "InvalidExperimentError";
}

export function experimentNames(): string[] {
  return Object.keys(EXPERIMENTS);
}

/** @throws InvalidExperimentError with the declaration and the complaint under the value to change. */
export function loadExperiment(name: string): Experiment {
  const written = Object.entries(EXPERIMENTS).find(([known]) => known === name)?.[1];
  if (written === undefined)
    throw new InvalidExperimentError(`unknown experiment '${name}'; known: ${experimentNames().join(", ")}`);
  return validateExperiment(written, `experiments/${name}.ts`);
}

/** The conditions of an experiment; none when it is no longer declared, since traces outlive experiments. */
export function declaredConditions(name: string | null): Condition[] {
  if (name === null || !experimentNames().includes(name)) return [];
  return conditionsOf(loadExperiment(name));
}

/** @throws InvalidExperimentError likewise. `source` is where the reader finds the declaration. */
export function validateExperiment(written: unknown, source: string): Experiment {
  const parsed = Experiment.safeParse(written);
  if (parsed.success) return parsed.data;
  throw new InvalidExperimentError(
    `${source} is not a valid experiment:\n${showComplaints(written, parsed.error.issues)}`,
  );
}
