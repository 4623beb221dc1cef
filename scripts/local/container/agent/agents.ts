/** Every agent that the daemon can run, by the name under which the object asks for it. */
import type { AgentAdapter } from "./agent-adapter.ts";
import { claudeCode } from "./claude-code-adapter.ts";
import { codex } from "./codex-adapter.ts";
import { kitAgent, kitAgentHoarder } from "./kit-agent-adapter.ts";

export const AGENTS: Readonly<Record<string, AgentAdapter>> = {
  "kit-agent": kitAgent,
  "kit-agent-hoarder": kitAgentHoarder,
  codex,
  "claude-code": claudeCode,
};
