/** What the process that bundles is asked, and what it answers; the same of wrangler's own process, which it starts. */
import { z } from "zod";
import { WorkerBundle, WorkerOptions, WorkerRole } from "./bundle.ts";
import { HostChoice } from "./host-choice.ts";

export const BundleRequest = z.strictObject({
  roles: z.array(WorkerRole).min(1),
  host: HostChoice,
  /** The checkout to bundle from. */
  root: z.string(),
  /** In place of that of the Workers' configurations; null keeps it. */
  compatibilityDate: z.string().nullable(),
  /** The bundler's output goes into folders below. */
  workDir: z.string(),
});
export type BundleRequest = z.infer<typeof BundleRequest>;

export const MadeBundle = z.strictObject({
  bundle: WorkerBundle,
  /** Absolute paths of all files that went into the script. */
  inputs: z.array(z.string()),
});
export type MadeBundle = z.infer<typeof MadeBundle>;

export const BundleAnswer = z.union([
  z.strictObject({ made: z.array(MadeBundle) }),
  z.strictObject({ failure: z.string() }),
]);
export type BundleAnswer = z.infer<typeof BundleAnswer>;

/** Of the environment, with what wrangler's process is asked besides the bundle. */
export const DESCRIBE_VARIABLE = "RECOVERY_KIT_DESCRIBE";

export const DescribeRequest = z.strictObject({
  /** Path of the configuration that is described. */
  config: z.string(),
  /** Path of the file for the answer. */
  answer: z.string(),
});
export type DescribeRequest = z.infer<typeof DescribeRequest>;

export const Described = z.strictObject({
  name: z.string().nullable(),
  compatibilityDate: z.string().nullable(),
  compatibilityFlags: z.array(z.string()),
  options: WorkerOptions,
});
export type Described = z.infer<typeof Described>;
