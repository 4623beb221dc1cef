/** Real agent CLIs as the executor of `ContainerHarness`; its storage is laid out as that of subject `container`. */
import { container } from "../container/container-traits.ts";
import type { SubjectTraits } from "../subject-traits.ts";

/** A turn takes 2 s of processor time to begin. */
const agentCli = { ...container, onDemand: true, weight: 4 } as const;

export const codex = { ...agentCli, agentCli: "codex" } as const satisfies SubjectTraits;
export const codexRetry = { ...codex, variantOf: "codex" } as const satisfies SubjectTraits;

export const claudeCode = { ...agentCli, agentCli: "claude-code" } as const satisfies SubjectTraits;
export const claudeCodeRetry = { ...claudeCode, variantOf: "claude-code" } as const satisfies SubjectTraits;
