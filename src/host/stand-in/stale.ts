/**
 * What an earlier process left half done: host contract, section 9.2. Settled before the first step of any drain,
 * whether the sweep or a doorbell started it. The host never executes a call again on its own account.
 */
import type { SessionMessage, ToolPart } from "../types/messages.ts";
import type { Host } from "./stand-in-host.ts";
import { contentOf } from "./tool-output.ts";

export async function settleStaleCompactions(host: Host, sessionID: string): Promise<void> {
  for (const message of host.messages.ofType(sessionID, "compaction")) {
    if (message.status !== "running") continue;
    await host.log.publish("session.compaction.failed", {
      sessionID,
      reason: message.reason,
      error: { type: "compaction.interrupted", message: "Compaction was interrupted" },
    });
  }
}

type StaleCall = { assistantMessageID: string; agent: string; part: ToolPart };

/** Calls that were being written or executed. Pure. */
function staleCalls(context: readonly SessionMessage[]): StaleCall[] {
  return context.flatMap((message) =>
    message.type !== "assistant"
      ? []
      : message.content.flatMap((part) =>
          part.type === "tool" && (part.state.status === "streaming" || part.state.status === "running")
            ? [{ assistantMessageID: message.id, agent: message.agent, part }]
            : [],
        ),
  );
}

export async function settleStaleCalls(host: Host, sessionID: string): Promise<void> {
  const { mutations } = host.internals;
  if (mutations.has("staleToolLeftRunning")) return;
  for (const call of staleCalls(host.messages.context(sessionID))) {
    if (mutations.has("reexecuteToolOnBoot") && (await reexecute(host, sessionID, call))) continue;
    const { state } = call.part;
    await host.log.publish("session.tool.failed", {
      sessionID,
      assistantMessageID: call.assistantMessageID,
      id: call.part.id,
      error: { type: "aborted", message: `Tool execution interrupted: ${call.part.name}` },
      ...(state.status === "running" && Object.keys(state.metadata).length > 0
        ? { metadata: state.metadata }
        : {}),
      executed: false,
    });
  }
}

/** Only for the mutation of that name: what the contract forbids. */
async function reexecute(host: Host, sessionID: string, call: StaleCall): Promise<boolean> {
  const { part, assistantMessageID, agent } = call;
  const tool = [...host.plugins.tools()].find((candidate) => candidate.name === part.name);
  if (tool === undefined || part.state.status !== "running") return false;
  const result = await tool.execute(part.state.input as never, {
    sessionID,
    agent,
    messageID: assistantMessageID,
    id: part.id,
    progress: () => undefined,
  });
  await host.log.publish("session.tool.success", {
    sessionID,
    assistantMessageID,
    id: part.id,
    content: contentOf(result, true),
    executed: false,
  });
  return true;
}
