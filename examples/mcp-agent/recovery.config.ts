import { defineTrial } from "opencode-do-recovery-kit";

/** An agent in any language will do: it is a command that speaks MCP. */
export default defineTrial({
  subject: { command: "node agent.mjs {prompt}" },
  prompt: "one entry",
  points: ["before-commit", "after-commit"],
});
