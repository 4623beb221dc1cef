/** What a user writes an experiment of her own with, in a file that `run` is given. */
import type { WrittenExperiment } from "./shape.ts";

export type { WrittenExperiment } from "./shape.ts";
export { USUAL_TRIAL } from "./usual-trial.ts";

/**
 * Gives back what it is given, so that an editor knows its shape. Whether its levels make sense together is checked when it is
 * loaded: `run <file> --dry-run`.
 */
export function defineExperiment(experiment: WrittenExperiment): WrittenExperiment {
  return experiment;
}
