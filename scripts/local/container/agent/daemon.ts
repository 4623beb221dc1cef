/**
 * A program of its own, the entrypoint of the container: the daemon of `agents/harness/container` with the adapter for agent
 * CLIs, and the agent that the object names. As the package's own entrypoint, but for the interface: it listens on 127.0.0.1.
 *
 * Its working directory is the container's file system. The session's declared state lies in `homes/`, its work in `workspace/`.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliAdapter, serve } from "agents/harness/container/runtime";
import { z } from "zod";
import { SYNC_MS_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import { HOMES, MARKER, WORKSPACE } from "./agent-output.ts";
import { AGENTS } from "./agents.ts";

const Environment = z.object({
  CF_HARNESS_TOKEN: z.string().min(1),
  CF_HARNESS_RUNTIME_ID: z.string().min(1),
  CF_HARNESS_ADAPTER: z.string().default("kit-agent"),
  [SYNC_MS_VARIABLE]: z.coerce.number().int().positive(),
});

const {
  CF_HARNESS_TOKEN: token,
  CF_HARNESS_RUNTIME_ID: runtimeId,
  CF_HARNESS_ADAPTER: name,
  [SYNC_MS_VARIABLE]: syncIntervalMs,
} = Environment.parse(process.env);
const agent = AGENTS[name];
if (agent === undefined) throw new Error(`there is no agent '${name}' here`);
const { stateDirs = [], ...own } = agent();
const adapter = cliAdapter({
  ...own,
  stateDirs,
  syncIntervalMs,
  cwd: folder(WORKSPACE),
  homes: folder(HOMES),
});

// What the agent starts has no use for it.
delete process.env.CF_HARNESS_TOKEN;
const { port } = await serve({
  adapter: { ...adapter, open: openMarked },
  runtimeId,
  token,
  port: 0,
  host: "127.0.0.1",
});
process.stdout.write(`${JSON.stringify({ port })}\n`);

function folder(name: string): string {
  const path = join(process.cwd(), name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Opens a session as the adapter does, and leaves markers where nothing was brought from an earlier container. */
async function openMarked(
  ...asked: Parameters<typeof adapter.open>
): Promise<Awaited<ReturnType<typeof adapter.open>>> {
  const session = await adapter.open(...asked);
  const homes = readdirSync(HOMES).map((home) => join(HOMES, home));
  for (const place of [
    WORKSPACE,
    ...homes,
    ...homes.flatMap((home) => stateDirs.map((dir) => join(home, dir))),
  ]) {
    mkdirSync(place, { recursive: true });
    const file = join(place, MARKER);
    if (!existsSync(file)) writeFileSync(file, runtimeId);
  }
  return session;
}
