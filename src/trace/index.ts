/** The vocabulary that every other folder shares. Imports nothing but zod. */
export * from "./chain.ts";
export * from "./combinations.ts";
export * from "./counts.ts";
export * from "./file.ts";
export * from "./ids.ts";
export * from "./levels.ts";
export * from "./records.ts";
export * from "./script.ts";
export * from "./spec.ts";
