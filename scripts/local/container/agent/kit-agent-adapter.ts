/** The kit's own agent as a CLI: a program of Node's for each turn, which prints a JSON value a line. */
import { fileURLToPath } from "node:url";
import type { CliParser, CliTurn } from "agents/harness/container/runtime";
import type { AgentAdapter } from "./agent-adapter.ts";
import { AgentLine, STATE_FOLDER } from "./agent-output.ts";

const AGENT = fileURLToPath(new URL("agent-cli.ts", import.meta.url));

export const kitAgent: AgentAdapter = () => ({
  id: "kit-agent",
  stateDirs: [STATE_FOLDER],
  command: ({ operationId, prompt, state }) => ({
    argv: [process.execPath, AGENT, operationId, ...(state.thread === undefined ? [] : [state.thread])],
    stdin: prompt,
  }),
  parser,
});

/** The same, and broken: all of its home is carried to the next container. */
export const kitAgentHoarder: AgentAdapter = () => ({ ...kitAgent(), stateDirs: ["."] });

function parser({ operationId }: CliTurn): CliParser {
  return {
    line(text) {
      const line = AgentLine.parse(JSON.parse(text));
      switch (line.type) {
        case "thread":
          return { state: { thread: line.thread } };
        case "message":
          return {
            events: [
              {
                type: "message",
                message: {
                  id: line.id,
                  role: "assistant",
                  parts: line.parts,
                  operationId,
                  createdAt: Date.now(),
                },
              },
            ],
          };
        case "answer":
          return { outcome: { status: "done", text: line.text } };
      }
    },
    end: ({ code, stderr }) => ({
      status: "unanswered",
      reason: `the agent ended with ${code ?? "a signal"}: ${stderr.trim() || "no output"}`,
    }),
  };
}
