/** Where `defineTrial` and `defineExperiment` come from when a user's file asks for the package by its name. */
import { fileURLToPath } from "node:url";

export const PACKAGE = "opencode-do-recovery-kit";
export const DEFINER = fileURLToPath(new URL("../../../src/own/define-trial.ts", import.meta.url));

/** File of each name that the package offers. */
export const DEFINERS: Readonly<Record<string, string>> = {
  [PACKAGE]: DEFINER,
  [`${PACKAGE}/experiment`]: fileURLToPath(
    new URL("../../../experiments/define-experiment.ts", import.meta.url),
  ),
};
