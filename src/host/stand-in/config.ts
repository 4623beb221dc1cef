/**
 * The host's configuration: host contract, section 4.5, "Config route". It comes from outside, so it is parsed;
 * keys that the stand-in has no use for are allowed and ignored.
 */
import { z } from "zod";
import type { ModelRef } from "../types/messages.ts";
import { noRoute, ProviderError } from "./provider-failure.ts";

const Permission = z.object({ action: z.string(), resource: z.string(), effect: z.string() });

const Model = z.looseObject({
  modelID: z.string().optional(),
  name: z.string().optional(),
  limit: z.looseObject({ context: z.number(), output: z.number() }).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
  disabled: z.boolean().optional(),
});

const Provider = z.looseObject({
  name: z.string().optional(),
  package: z.string().optional(),
  settings: z
    .looseObject({
      baseURL: z.string().optional(),
      apiKey: z.string().optional(),
      headerTimeout: z.number().positive().optional(),
      chunkTimeout: z.number().positive().optional(),
    })
    .prefault({}),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
  models: z.record(z.string(), Model).default({}),
});

const Agent = z.looseObject({
  model: z.string().optional(),
  prompt: z.string().optional(),
  steps: z.number().int().positive().optional(),
});

const Config = z.looseObject({
  model: z.string().optional(),
  default_agent: z.string().default("build"),
  agents: z.record(z.string(), Agent).default({}),
  providers: z.record(z.string(), Provider).default({}),
  permissions: z.array(Permission).default([]),
  compaction: z
    .looseObject({
      auto: z.boolean().default(true),
      buffer: z.number().default(20_000),
      keep: z.looseObject({ tokens: z.number().default(15_000) }).prefault({}),
    })
    .prefault({}),
});

export type Config = z.infer<typeof Config>;

/** Agents that exist without being configured. */
const BUILT_IN_AGENTS: ReadonlySet<string> = new Set(["build", "plan"]);

/** Takes a plain object and one tree's `{content: "<json>"}` (host contract, section 15, question 2). */
export function parseConfig(config: Record<string, unknown> | undefined): Config {
  const { content } = config ?? {};
  return Config.parse(typeof content === "string" ? JSON.parse(content) : (config ?? {}));
}

export function knowsAgent(config: Config, agent: string): boolean {
  return BUILT_IN_AGENTS.has(agent) || config.agents[agent] !== undefined;
}

/** What a request needs to know of its model. */
export type Route = {
  readonly ref: ModelRef;
  readonly modelID: string;
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  readonly limit?: { context: number; output: number };
  /** Longest wait for the response's head, and between two pieces of its body; none unless configured. */
  readonly headerTimeoutMs?: number;
  readonly chunkTimeoutMs?: number;
};

/** Max output tokens when the model's limit is unknown (host contract, section 4.5). */
const DEFAULT_MAX_OUTPUT = 32_000;

export function maxOutput(route: Route): number {
  if (route.limit === undefined) return DEFAULT_MAX_OUTPUT;
  return Math.min(route.limit.output, route.limit.context);
}

/** The session's model, or the agent's, or the configured default; in this order. */
export function modelOf(config: Config, agent: string, selected: ModelRef | undefined): ModelRef | undefined {
  if (selected !== undefined) return selected;
  const name = config.agents[agent]?.model ?? config.model;
  if (name === undefined) return undefined;
  const slash = name.indexOf("/");
  return { providerID: name.slice(0, slash), id: name.slice(slash + 1) };
}

/** @throws ProviderError `provider.no-route` when nothing can answer for the model. */
export function routeOf(config: Config, ref: ModelRef | undefined): Route {
  if (ref === undefined) throw new ProviderError(noRoute("No model is configured"));
  const name = `${ref.providerID}/${ref.id}`;
  const provider = config.providers[ref.providerID];
  const model = provider?.models[ref.id];
  if (provider === undefined || model === undefined || model.disabled === true)
    throw new ProviderError(noRoute(`No provider offers ${name}`));
  if (provider.package !== undefined && !provider.package.endsWith("openai-compatible"))
    throw new ProviderError(
      noRoute(`The stand-in speaks only OpenAI-compatible HTTP, not ${provider.package}`),
    );
  const { baseURL, apiKey, headerTimeout, chunkTimeout } = provider.settings;
  if (baseURL === undefined) throw new ProviderError(noRoute(`${ref.providerID} has no baseURL`));
  return {
    ref,
    modelID: model.modelID ?? ref.id,
    baseURL: baseURL.replace(/\/+$/, ""),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headerTimeout === undefined ? {} : { headerTimeoutMs: headerTimeout }),
    ...(chunkTimeout === undefined ? {} : { chunkTimeoutMs: chunkTimeout }),
    headers: { ...provider.headers, ...model.headers },
    body: { ...provider.body, ...model.body },
    ...(model.limit === undefined ? {} : { limit: model.limit }),
  };
}
