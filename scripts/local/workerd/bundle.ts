/**
 * What a Worker's bundle is: the script that `wrangler deploy` would upload, and what its own wrangler.jsonc declares,
 * in the terms of what runs it. So what is tested locally is what would be deployed.
 *
 * Leaves to others: making it (make-bundle.ts), keeping it (bundle-cache.ts), which of both (get-bundles.ts), and
 * which ports and peers the Worker gets (local-runtime.ts).
 */
import { createHash } from "node:crypto";
import type { unstable_getMiniflareWorkerOptions } from "wrangler";
import { z } from "zod";
import { Sha256 } from "../../../src/trace/ids.ts";

/** The Workers of the kit, by the role that other code names them by. */
export const WorkerRole = z.enum(["subject", "ledger", "controller", "gate"]);
export type WorkerRole = z.infer<typeof WorkerRole>;

/** Their configurations, from the root of the checkout. */
export const WORKER_CONFIGS = {
  subject: "wrangler.jsonc",
  ledger: "ledger-worker/wrangler.jsonc",
  controller: "src/controller/wrangler.jsonc",
  gate: "src/gate/wrangler.jsonc",
} as const satisfies Record<WorkerRole, string>;

type MiniflareWorkerOptions = ReturnType<typeof unstable_getMiniflareWorkerOptions>["workerOptions"];

/** What the kit itself reads of the options. Miniflare checks all of them when it is given them. */
const OptionsRead = z.looseObject({
  bindings: z.record(z.string(), z.unknown()).optional(),
  durableObjects: z.record(z.string(), z.unknown()).optional(),
  serviceBindings: z.record(z.string(), z.unknown()).optional(),
});

/** Bindings and limits in Miniflare's (version 4 style) terms, without the script. */
export const WorkerOptions = OptionsRead.transform((options) => options as MiniflareWorkerOptions);

/** As it comes from another process or from a file. */
export const WorkerBundle = z
  .strictObject({
    role: WorkerRole,
    name: z.string().min(1),
    script: z.string().min(1),
    /** Modules beside the script, by the name under which it imports them. */
    modules: z
      .array(
        z.strictObject({
          name: z.string(),
          type: z.enum(["Text", "Data", "CompiledWasm"]),
          contents: z.custom<Uint8Array<ArrayBuffer>>(),
        }),
      )
      .optional(),
    sha256: Sha256,
    compatibilityDate: z.string(),
    compatibilityFlags: z.array(z.string()),
    options: WorkerOptions,
  })
  .refine(({ script, sha256 }) => sha256Of(script) === sha256, "the script is not the one that was hashed")
  .readonly();
export type WorkerBundle = z.infer<typeof WorkerBundle>;

export function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
