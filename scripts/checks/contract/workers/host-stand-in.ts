/** The host under test when it is the stand-in. The bundler resolves `#host` to this file. */
import { createStandIn } from "../../../../src/host/stand-in/create.ts";
import { DEFAULT_RETRY_POLICY } from "../../../../src/host/stand-in/retry.ts";
import type { CreateOptions, HostInterface } from "../../../../src/host/types/client-types.ts";
import type { Seams } from "./seams.ts";

export function openHost(options: CreateOptions, seams: Seams): Promise<HostInterface> {
  return createStandIn(options, {
    onToolBoundary: seams.onToolBoundary,
    mutations: new Set(seams.mutations),
    title: seams.title,
    // The published delays add up to more than a minute; their arithmetic is tested beside the module.
    ...(seams.delays === "published"
      ? { sleep: async (_ms, signal) => signal.throwIfAborted() }
      : { retry: { ...DEFAULT_RETRY_POLICY, retries: seams.retries, baseMs: 1, capMs: 1 } }),
  });
}
