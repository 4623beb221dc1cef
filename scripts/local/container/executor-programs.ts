/** The programs that can be started in a container, by the name under which its object asks for one. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { AgentCliName } from "../../../src/harnesses/subject-traits.ts";
import { NO_WAY_OUT } from "./agent/no-way-out.ts";

export type ExecutorProgram = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Reads a line of its output; undefined where that does not say where it listens. */
  readonly portIn: (line: string) => number | undefined;
};

const fileOf = (name: string) => fileURLToPath(new URL(join("agent", name), import.meta.url));

const Listening = z.object({ port: z.number().int().positive() });

/** A program of the kit's own says where it listens in its first line. */
const ownProgram = (name: string): ExecutorProgram => ({
  file: process.execPath,
  args: [fileOf(name)],
  env: {},
  portIn: (line) => Listening.safeParse(parsed(line)).data?.port,
});

/** Where its commands find the ledger's tools. */
const LEDGER = { KIT_NODE: process.execPath, KIT_LEDGER_COMMAND: fileOf("ledger-command.ts") } as const;

/** The daemon runs every agent whose name is not in this list. `clis`: binaries of agent CLIs, by their name. */
export function executorProgram(
  name: string | undefined,
  clis: ReadonlyMap<string, string>,
): ExecutorProgram {
  switch (name) {
    case "exec-server":
      return { ...ownProgram("exec-server.ts"), env: LEDGER };
    case "codex-exec-server":
      return {
        file: clis.get("codex" satisfies AgentCliName) ?? "codex",
        // Else a request that waits keeps every other one of its connection waiting.
        args: ["exec-server", "--listen", "ws://127.0.0.1:0", "--concurrent-requests", "16"],
        env: { ...LEDGER, ...NO_WAY_OUT },
        portIn: (line) => {
          const port = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
          return port === undefined ? undefined : Number(port);
        },
      };
    default:
      return ownProgram("daemon.ts");
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
