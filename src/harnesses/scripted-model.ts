/**
 * What the harnesses on the AI SDK are given: the scripted model as a language model, reached through the CONTROLLER
 * binding, and who they are in a record.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
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

/** A harness of `agents` that needs no OpenCode host. The version is that of the package that was bundled. */
export function harnessIdentity(harness: string): HostIdentity {
  const version = typeof __AGENTS_VERSION__ === "string" ? __AGENTS_VERSION__ : "unknown";
  return { kind: "none", name: `agents/harness/${harness}`, version };
}

/** Set by the builder (`--define`), from the installed package. */
declare const __AGENTS_VERSION__: string | undefined;
