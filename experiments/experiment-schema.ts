/**
 * What an experiment is: a value of the right shape whose levels make sense together. Validated when it is loaded, so
 * that a misspelt level is found before anything starts.
 */
import type { z } from "zod";
import { complainAboutMatrix } from "./matrix-complaints.ts";
import { ExperimentShape } from "./shape.ts";

export const Experiment = ExperimentShape.superRefine(complainAboutMatrix);
export type Experiment = z.infer<typeof Experiment>;
