/**
 * The title call: host contract, section 4.5. Absent unless asked for (see `Internals.title`), because it adds one
 * model call to each new root session, concurrent with the first step.
 */
import { streamChat } from "./chat-completions.ts";
import { plainRequest, speakerOf } from "./model-request.ts";
import type { Host } from "./stand-in-host.ts";

const MAX_TITLE = 100;
const SYSTEM = "You write titles. Answer with a short title for the conversation and nothing else.";

/** Starts it in the background; its failure concerns nobody. */
export function startTitle(host: Host, sessionID: string): void {
  if (host.internals.title === "absent") return;
  write(host, sessionID).catch((error: unknown) => {
    host.logger.warn(`No title for ${sessionID}: ${error instanceof Error ? error.message : String(error)}`);
  });
}

async function write(host: Host, sessionID: string): Promise<void> {
  const session = host.sessions.get(sessionID);
  if (session === undefined || session.title !== undefined || session.parentID !== undefined) return;
  const inputs = host.messages.ofType(sessionID, "user");
  if (inputs.length !== 1) return;
  const request = plainRequest(host, {
    session,
    speaker: { ...speakerOf(host, sessionID), agent: "title" },
    system: SYSTEM,
    messages: inputs,
    instruction: "Write the title.",
    signal: host.life.ended,
  });
  let title = "";
  for await (const event of streamChat(request)) {
    if (event.type === "text") title += event.delta;
    if (event.type !== "finished") continue;
    const { tokens } = event;
    await host.log.publish("session.usage.recorded", { sessionID, source: "title", cost: 0, tokens });
  }
  if (title.trim() === "") return;
  await host.log.publish("session.renamed", { sessionID, title: title.trim().slice(0, MAX_TITLE) });
}
