/**
 * What the harnesses on the AI SDK are given: the scripted model as a language model, reached through the CONTROLLER
 * binding, and who they are in a record.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { dependencies } from "../../package.json";
import { modelBaseUrl, modelFetch } from "../host/model-route.ts";
import type { TrialEnv } from "../subject/subject-env.ts";
import type { HostIdentity } from "../trace/spec.ts";

/** The scripted model of one trial for one activation. */
export function scriptedModel({ CONTROLLER, KIT_SECRET, TRIAL }: TrialEnv, session: string): LanguageModel {
  const provider = createOpenAICompatible({
    name: "scripted",
    baseURL: modelBaseUrl(TRIAL.trial),
    apiKey: KIT_SECRET ?? "",
    headers: {
      "x-kit-activation": TRIAL.activation,
      // The header by which OpenCode names its session; the AI SDK has none of its own.
      "x-opencode-session-id": session,
    },
    fetch: modelFetch(CONTROLLER),
  });
  return provider.chatModel("main");
}

/** A harness of `agents` that needs no OpenCode host. The version is the one that the kit pins and bundles. */
export function harnessIdentity(harness: string): HostIdentity {
  return { kind: "none", name: `agents/harness/${harness}`, version: dependencies.agents };
}
