/** `ThinkHarness` whose tools run in an executor behind a rebinding client; its storage is laid out as that of subject `think`. */
import type { SubjectTraits } from "../subject-traits.ts";
import { think } from "../think/think-traits.ts";

export const execServer = {
  ...think,
  container: "process",
  handsOutReferences: true,
  // A server, and a process for each call.
  weight: 2,
} as const satisfies SubjectTraits;

/** The same with the exec server of the Codex CLI. */
export const codexExecServer = {
  ...execServer,
  agentCli: "codex",
  onDemand: true,
} as const satisfies SubjectTraits;

/** The same, its client's memory or its ids being otherwise. */
export const codexExecServerVariant = {
  ...codexExecServer,
  variantOf: "codex-exec-server",
} as const satisfies SubjectTraits;

/** A canary whose commands run in an executor. */
export const execServerCanary = { ...execServer, canary: true } as const satisfies SubjectTraits;
