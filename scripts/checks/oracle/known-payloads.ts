/** Known differences in versions and fields of payloads, as event-payloads.ts writes them. Data. */
import type { KnownDifference } from "./compare-sides.ts";

const TIMESTAMP = "1.18 keeps the time in the payload, OpenCode 2 in the envelope";
const CALL_ID = `${TIMESTAMP}; callID became id`;

export const KNOWN_PAYLOADS: readonly KnownDifference[] = [
  payload(
    "inbox.enqueued",
    "v1: delivery messageID prompt sessionID timestamp",
    "v1: inboxID item sessionID",
    `${TIMESTAMP}; a prompt became one of several items`,
  ),
  payload(
    "inbox.delivered",
    "v1: delivery messageID prompt sessionID timestamp",
    "v1: inboxID sessionID",
    `${TIMESTAMP}; OpenCode 2 does not repeat the item`,
  ),
  payload(
    "step.started",
    "v1: agent assistantMessageID model sessionID timestamp",
    "v1: agent assistantMessageID model sessionID started",
    `${TIMESTAMP}; OpenCode 2 adds when the request was sent`,
  ),
  payload(
    "step.ended",
    "v2: assistantMessageID cost finish sessionID timestamp tokens",
    "v1: assistantMessageID cost finish rawFinish sessionID tokens",
    `${TIMESTAMP}; OpenCode 2 adds the provider's own finish reason and counts versions anew`,
  ),
  payload(
    "step.failed",
    "v2: assistantMessageID error sessionID timestamp",
    "v1: assistantMessageID error sessionID",
    `${TIMESTAMP}; OpenCode 2 counts versions anew`,
  ),
  payload(
    "text.started",
    "v1: assistantMessageID sessionID textID timestamp",
    "v1: assistantMessageID ordinal sessionID",
    `${TIMESTAMP}; a text's name became its number`,
  ),
  payload(
    "text.ended",
    "v1: assistantMessageID sessionID text textID timestamp",
    "v1: assistantMessageID ordinal sessionID text",
    `${TIMESTAMP}; a text's name became its number`,
  ),
  payload(
    "tool.input.started",
    "v1: assistantMessageID callID name sessionID timestamp",
    "v1: assistantMessageID id name sessionID",
    CALL_ID,
  ),
  payload(
    "tool.input.ended",
    "v1: assistantMessageID callID sessionID text timestamp",
    "v1: assistantMessageID id sessionID text",
    CALL_ID,
  ),
  payload(
    "tool.called",
    "v1: assistantMessageID callID input provider sessionID timestamp tool",
    "v1: assistantMessageID executed id input sessionID",
    `${CALL_ID}, provider.executed became executed, and the tool's name stands in tool.input.started only`,
  ),
  payload(
    "tool.success",
    "v1: assistantMessageID callID content outputPaths provider sessionID structured timestamp",
    "v2: assistantMessageID content executed id sessionID",
    `${CALL_ID}; version 2 dropped structured and outputPaths`,
  ),
  payload(
    "tool.failed",
    "v1: assistantMessageID callID error provider result sessionID timestamp",
    "v2: assistantMessageID error executed id sessionID",
    `${CALL_ID}; version 2 dropped result`,
  ),
];

function payload(name: string, server: string, standIn: string, reason: string): KnownDifference {
  return { rule: `payload.${name}`, server, standIn, reason };
}
