/** Real agent CLIs as the executor of `ContainerHarness`; its storage is laid out as that of subject `container`. */
import { container } from "../container/container-traits.ts";
import type { SubjectTraits } from "../subject-traits.ts";

export const codex = { ...container, onDemand: true, agentCli: "codex" } as const satisfies SubjectTraits;
export const codexRetry = { ...codex, variantOf: "codex" } as const satisfies SubjectTraits;

export const claudeCode = {
  ...container,
  onDemand: true,
  agentCli: "claude-code",
} as const satisfies SubjectTraits;
export const claudeCodeRetry = { ...claudeCode, variantOf: "claude-code" } as const satisfies SubjectTraits;
