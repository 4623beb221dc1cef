/** Where `defineTrial` comes from when a user's file asks for the package by its name. */
import { fileURLToPath } from "node:url";

export const PACKAGE = "opencode-do-recovery-kit";
export const DEFINER = fileURLToPath(new URL("../../../src/own/define-trial.ts", import.meta.url));
