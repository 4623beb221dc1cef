/**
 * The shape of what `defineTrial` takes where the subject is a command: an agent in any language that speaks MCP. It is plain
 * data, and checked before anything starts.
 */
import { z } from "zod";
import { Destination } from "../trace/levels.ts";
import { AGENT_POINTS } from "../trace/points.ts";

/** How an agent is offered the ledger: as a server that it starts, or one that it calls. */
export const McpTransport = z.enum(["stdio", "http"]);
export type McpTransport = z.infer<typeof McpTransport>;

/** How long it may take to its point, and from its second start to its end, in ms. */
export const AGENT_TIMEOUT_MS = 60_000;
export const AGENT_TIMEOUT_MS_MIN = 1_000;
export const AGENT_TIMEOUT_MS_MAX = 3_600_000;

/** What every such agent has to keep. */
export const AGENT_REQUIRED = ["no-duplicate", "no-missing", "no-loss", "no-conflict"] as const;

export const AgentDefinition = z.strictObject({
  subject: z.strictObject({
    /** Program and arguments, without a shell; `{prompt}`, `{state}` and `{mcp}` stand for what differs between trials. */
    command: z.string().min(1),
    /** The folder that is its state, from the folder of the file that names it; each trial works in a copy. */
    state: z.string().min(1).optional(),
    mcp: McpTransport.default("stdio"),
    timeoutMs: z.number().int().min(AGENT_TIMEOUT_MS_MIN).max(AGENT_TIMEOUT_MS_MAX).default(AGENT_TIMEOUT_MS),
  }),
  /** What it is asked: to use the tool `ledger_commit` once. The kit's own words where nothing is said. */
  prompt: z.string().min(1).max(10_000).optional(),
  points: z.array(z.enum(AGENT_POINTS)).min(1).default(["after-commit"]),
  /** What the outside world does with a repeat. */
  destination: Destination.default("keyed"),
  require: z.array(z.string()).default([...AGENT_REQUIRED]),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** As it is written. */
export type WrittenAgent = z.input<typeof AgentDefinition>;
