/**
 * Opens the OpenCode host of one object: real or stand-in, whichever the bundler put behind the name
 * `@opencode/sdk/workerd`. The same options go to both (host contract, sections 2.1 and 4.5).
 *
 * Leaves to others: when to open and close (the harness), what the tools do (`src/plugin`).
 */

import type { Plugin } from "@opencode/plugin";
import * as workerd from "@opencode/sdk/workerd";
import { HostIdentity } from "../trace/spec.ts";
import { modelBaseUrl, modelFetch, routeModelRequests } from "./model-route.ts";

/** How many steps a turn may take before the host ends it; far above what any policy needs. */
const STEPS_MAX = 20;

/** The one model the kit offers, as `provider/model`. */
export const SCRIPTED_MODEL = { providerID: "scripted", id: "main" } as const;

type OpenHostOptions = {
  /** The storage that the harness prepared, with OpenCode's tables under a prefix. */
  readonly storage: DurableObjectStorage;
  readonly plugins: readonly Plugin.Plugin[];
  readonly trial: string;
  /** Sent with every model request, so that the journal can tell who asked. */
  readonly activation: string;
  readonly controller: Fetcher;
  readonly secret: string;
  /** Names that the model may call; everything else is denied. */
  readonly tools: readonly string[];
};

/** Opens the host. @throws what the host throws, unchanged. */
export function openHost(options: OpenHostOptions): Promise<workerd.OpenCodeWorkerd.Interface> {
  routeModelRequests(options.controller);
  return workerd.OpenCodeWorkerd.create({
    storage: options.storage,
    plugins: [...options.plugins],
    models: { snapshot: false, fetch: false },
    app: { name: "opencode-do-recovery-kit", version: "0.1.0" },
    fetch: modelFetch(options.controller),
    config: configFor(options),
  });
}

/**
 * Which host this bundle contains. The stand-in declares itself; anything else is taken for the real package,
 * whose version the builder knows.
 */
export function hostIdentity(): HostIdentity {
  const declared: unknown = Reflect.get(workerd, "HOST_IDENTITY");
  if (declared !== undefined) return HostIdentity.parse(declared);
  return {
    kind: "sdk",
    name: "@opencode/sdk",
    version: typeof __OPENCODE_SDK_VERSION__ === "string" ? __OPENCODE_SDK_VERSION__ : "unknown",
  };
}

/** Set by the builder (`--define`) when it bundles the real package. */
declare const __OPENCODE_SDK_VERSION__: string | undefined;

function configFor(options: OpenHostOptions) {
  return {
    model: `${SCRIPTED_MODEL.providerID}/${SCRIPTED_MODEL.id}`,
    default_agent: "build",
    agents: { build: { steps: STEPS_MAX } },
    permissions: [
      { action: "*", resource: "*", effect: "deny" as const },
      ...options.tools.map((action) => ({ action, resource: "*", effect: "allow" as const })),
    ],
    providers: {
      [SCRIPTED_MODEL.providerID]: {
        name: "Scripted model",
        package: "@opencode/ai/providers/openai-compatible",
        settings: { baseURL: modelBaseUrl(options.trial), apiKey: options.secret },
        headers: { "x-kit-activation": options.activation },
        models: {
          [SCRIPTED_MODEL.id]: {
            name: "Scripted",
            capabilities: { tools: true, input: ["text"], output: ["text"] },
            limit: { context: 128_000, output: 8_192 },
          },
        },
      },
    },
  };
}
