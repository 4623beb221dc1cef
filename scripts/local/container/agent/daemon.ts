/**
 * A program of its own, the entrypoint of the container: the daemon of `agents/harness/container` with the adapter for agent
 * CLIs, and the kit's own agent as the CLI. As the package's own entrypoint, but for the interface: it listens on 127.0.0.1.
 *
 * Its working directory is the container's file system. The session's declared state lies in `homes/`, its work in `workspace/`.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CliParser, type CliTurn, cliAdapter, serve } from "agents/harness/container/runtime";
import { z } from "zod";
import { KIT_AGENT_SYNC_MS } from "../../../../src/trace/heartbeats.ts";
import { AgentLine, STATE_FOLDER } from "./agent-output.ts";

const AGENT = fileURLToPath(new URL("agent-cli.ts", import.meta.url));

const Environment = z.object({
  CF_HARNESS_TOKEN: z.string().min(1),
  CF_HARNESS_RUNTIME_ID: z.string().min(1),
});

const adapter = cliAdapter({
  id: "kit-agent",
  stateDirs: [STATE_FOLDER],
  syncIntervalMs: KIT_AGENT_SYNC_MS,
  cwd: folder("workspace"),
  homes: folder("homes"),
  command: ({ operationId, prompt, state }) => ({
    argv: [process.execPath, AGENT, operationId, ...(state.thread === undefined ? [] : [state.thread])],
    stdin: prompt,
  }),
  parser,
});

const { CF_HARNESS_TOKEN: token, CF_HARNESS_RUNTIME_ID: runtimeId } = Environment.parse(process.env);
// What the agent starts has no use for it.
delete process.env.CF_HARNESS_TOKEN;
const { port } = await serve({ adapter, runtimeId, token, port: 0, host: "127.0.0.1" });
process.stdout.write(`${JSON.stringify({ port })}\n`);

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

function folder(name: string): string {
  const path = join(process.cwd(), name);
  mkdirSync(path, { recursive: true });
  return path;
}
