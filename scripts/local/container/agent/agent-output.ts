/** What the kit's agent prints, one JSON value a line, and where it keeps its threads. */
import { z } from "zod";

/** Under the session's home: declared to the harness, which carries it from one container to the next. */
export const STATE_FOLDER = ".kit-agent";

/** Where the sessions' homes and the work lie in the container's file system. */
export const HOMES = "homes";
export const WORKSPACE = "workspace";

/**
 * Name of a file that says which executor made it, in the workspace, in the declared state and beside it: to tell what was
 * carried to the next container. No agent reads one.
 */
export const MARKER = ".kit-marker";

const Part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({
    type: z.literal("tool"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.string(),
    state: z.enum(["running", "done", "error"]),
    output: z.string(),
  }),
]);
export type Part = z.infer<typeof Part>;

export const AgentLine = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("thread"), thread: z.string() }),
  /** Repeated under the same id when a tool has ended. */
  z.strictObject({ type: z.literal("message"), id: z.string(), parts: z.array(Part) }),
  z.strictObject({ type: z.literal("answer"), text: z.string() }),
]);
export type AgentLine = z.infer<typeof AgentLine>;
