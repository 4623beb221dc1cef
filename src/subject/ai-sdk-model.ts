/**
 * What the harnesses on the AI SDK are given: the scripted model as a language model, reached through the CONTROLLER
 * binding, and who they are in a record.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { dependencies } from "../../package.json";
import { modelBaseUrl, modelFetch } from "../host/model-route.ts";
import type { HostIdentity } from "../trace/spec.ts";

export type ScriptedModelOptions = {
  readonly trial: string;
  readonly session: string;
  /** Sent with every model request, so that the journal can tell who asked. */
  readonly activation: string;
  readonly controller: Fetcher;
  readonly secret: string;
};

/** The scripted model of one trial for one activation. */
export function scriptedModel(options: ScriptedModelOptions): LanguageModel {
  const provider = createOpenAICompatible({
    name: "scripted",
    baseURL: modelBaseUrl(options.trial),
    apiKey: options.secret,
    headers: {
      "x-kit-activation": options.activation,
      // The header by which OpenCode names its session; the AI SDK has none of its own.
      "x-opencode-session-id": options.session,
    },
    fetch: modelFetch(options.controller),
  });
  return provider.chatModel("main");
}

/** A harness of `agents` that needs no OpenCode host. The version is the one that the kit pins and bundles. */
export function harnessIdentity(harness: "think" | "ai-sdk"): HostIdentity {
  return { kind: "none", name: `agents/harness/${harness}`, version: dependencies.agents };
}
