/**
 * Where OpenCode 1.18 and the contract of OpenCode 2 are known to differ, with the reason. Data: each entry says
 * exactly what each side does, so that anything else is noticed, and so is an entry that has become untrue.
 */
import type { Known } from "./compare-sides.ts";
import { KNOWN_PAYLOADS } from "./known-payloads.ts";

const NO_EXECUTIONS =
  "1.18 has no execution events: an execution begins and ends without a durable trace, and nothing claims it";

const UNTYPED_ERRORS =
  "1.18 knows one type of error, `unknown`; OpenCode 2 has several (host contract, section 10.4)";
const MESSAGE_NAMES_TOOL =
  "OpenCode 2 adds the tool's name to the message of a stale call (host contract, section 9.2); 1.18 does not";
const NO_SWEEP =
  "1.18 has no boot sweep: a restarted server does nothing until the next prompt, and gives no notice";
const RESULT_IN_WORDS =
  "1.18 sends the stored error as JSON, the stand-in in words; the form is open (host contract, section 9.4)";
const FIRST_PAYLOAD_WINS =
  "1.18 refuses an id whose payload changed; in OpenCode 2 the first payload wins (host contract, section 3.3)";
const SOFT_INTERRUPT =
  "1.18 settles the call and then ends the step as if the model had merely called a tool; OpenCode 2 fails it (host contract, section 8)";
const BAD_JSON_FAILS_STEP =
  "1.18 fails the whole step and leaves the call unsettled; OpenCode 2 settles the call and goes on (host contract, section 9.5)";

const ASKED_AGAIN = [
  "tool.input.started (call_b)",
  "tool.input.ended (call_b)",
  "tool.called (call_b)",
] as const;
const ANSWER = ["step.started", "text.started", "text.ended", "step.ended (stop)"] as const;
const SECOND_CALL = [
  "step.started",
  ...ASKED_AGAIN,
  "tool.success (call_b)",
  "step.ended (tool-calls)",
  ...ANSWER,
] as const;

function callOf(effect: string): string {
  const input = { command: `curl -s <world>/effect/${effect}`, description: `Leaves the effect ${effect}` };
  return `assistant: call_a bash ${JSON.stringify(input)}`;
}

export const KNOWN: Known = {
  vocabulary: [
    {
      kind: "renamed",
      server: "prompt.admitted",
      standIn: "inbox.enqueued",
      reason: "1.18 admits prompts only; the inbox of OpenCode 2 takes other inputs as well",
    },
    {
      kind: "renamed",
      server: "prompted",
      standIn: "inbox.delivered",
      reason: "the other half of the same renaming",
    },
    {
      kind: "stand-in-only",
      name: "created",
      reason: "1.18 stores it as number 0 of the session but keeps it out of the readable log",
    },
    { kind: "stand-in-only", name: "execution.started", reason: NO_EXECUTIONS },
    { kind: "stand-in-only", name: "execution.succeeded", reason: NO_EXECUTIONS },
    { kind: "stand-in-only", name: "execution.failed", reason: NO_EXECUTIONS },
    { kind: "stand-in-only", name: "execution.interrupted", reason: NO_EXECUTIONS },
    {
      kind: "stand-in-only",
      name: "step.streamed",
      reason: "1.18 does not note the end of the provider's stream",
    },
    {
      kind: "stand-in-only",
      name: "message idle",
      reason: "the marker is the projection of the terminal execution event, which 1.18 does not have",
    },
  ],
  differences: [
    {
      rule: "text-then-tool.events",
      server: [
        "inbox.enqueued (Record it and talk.)",
        "inbox.delivered (Record it and talk.)",
        "step.started",
        "text.started",
        "tool.input.started (call_a)",
        "tool.input.ended (call_a)",
        "tool.called (call_a)",
        "text.ended",
        "tool.success (call_a)",
        "step.ended (tool-calls)",
        ...ANSWER,
      ],
      standIn: [
        "inbox.enqueued (Record it and talk.)",
        "inbox.delivered (Record it and talk.)",
        "step.started",
        "text.started",
        "text.ended",
        "tool.input.started (call_a)",
        "tool.input.ended (call_a)",
        "tool.called (call_a)",
        "tool.success (call_a)",
        "step.ended (tool-calls)",
        ...ANSWER,
      ],
      reason:
        "1.18 ends a text only when the stream ends; measured in 2.0.16, a text ends where the call begins (host contract, section 5.4)",
    },
    { rule: "unknown-tool.error-type", server: "unknown", standIn: "tool.unknown", reason: UNTYPED_ERRORS },
    {
      rule: "bad-arguments.events",
      server: [
        "inbox.enqueued (Write nonsense.)",
        "inbox.delivered (Write nonsense.)",
        "step.started",
        "tool.input.started (call_a)",
        "tool.input.ended (call_a)",
        "step.failed",
      ],
      standIn: [
        "inbox.enqueued (Write nonsense.)",
        "inbox.delivered (Write nonsense.)",
        "step.started",
        "tool.input.started (call_a)",
        "tool.input.ended (call_a)",
        "tool.failed (call_a)",
        "step.ended (tool-calls)",
        ...ANSWER,
      ],
      reason: BAD_JSON_FAILS_STEP,
    },
    {
      rule: "bad-arguments.transcript",
      server: [
        "message user",
        "message assistant (tool pending; error, Invalid JSON input for openai-chat tool call bash)",
      ],
      standIn: [
        "message user",
        "message assistant (tool error; tool-calls)",
        "message assistant (text; stop)",
      ],
      reason: BAD_JSON_FAILS_STEP,
    },
    {
      rule: "bad-arguments.error-type",
      server: "none",
      standIn: "tool.input-json",
      reason: BAD_JSON_FAILS_STEP,
    },
    {
      rule: "bad-arguments.error-message",
      server: "none",
      standIn: "The tool's arguments are not a JSON object",
      reason: BAD_JSON_FAILS_STEP,
    },
    {
      rule: "provider-refusal.error-type",
      server: "unknown",
      standIn: "provider.auth",
      reason: UNTYPED_ERRORS,
    },
    {
      rule: "same-id.pending-other-text",
      server: "ConflictError",
      standIn: "accepted",
      reason: FIRST_PAYLOAD_WINS,
    },
    {
      rule: "same-id.delivered-other-text",
      server: "ConflictError",
      standIn: "accepted",
      reason: FIRST_PAYLOAD_WINS,
    },
    {
      rule: "interrupt.events",
      server: [
        "inbox.enqueued (Record it.)",
        "inbox.delivered (Record it.)",
        "step.started",
        "tool.input.started (call_a)",
        "tool.input.ended (call_a)",
        "tool.called (call_a)",
        "tool.failed (call_a)",
        "step.ended (tool-calls)",
      ],
      standIn: [
        "inbox.enqueued (Record it.)",
        "inbox.delivered (Record it.)",
        "step.started",
        "tool.input.started (call_a)",
        "tool.input.ended (call_a)",
        "tool.called (call_a)",
        "tool.failed (call_a)",
        "step.failed",
      ],
      reason: SOFT_INTERRUPT,
    },
    { rule: "interrupt.tool-error-type", server: "unknown", standIn: "aborted", reason: UNTYPED_ERRORS },
    { rule: "interrupt.step-error-type", server: "none", standIn: "aborted", reason: SOFT_INTERRUPT },
    {
      rule: "interrupt.step-error-message",
      server: "none",
      standIn: "Step interrupted",
      reason: SOFT_INTERRUPT,
    },
    {
      rule: "interrupt.transcript",
      server: ["message user", "message assistant (tool error; tool-calls)"],
      standIn: ["message user", "message assistant (tool error; closed without finish, Step interrupted)"],
      reason: SOFT_INTERRUPT,
    },
    {
      rule: "replay.first",
      server: 1,
      standIn: 0,
      reason: "both count from 0, but 1.18 keeps number 0, the session's creation, out of the readable log",
    },
    {
      rule: "replay.marker",
      server: [],
      standIn: ["log.synced"],
      reason:
        "OpenCode 2 marks where the replay ends (host contract, section 3.6); 1.18 goes on without a word",
    },
    { rule: "crash.resumes", server: false, standIn: true, reason: NO_SWEEP },
    {
      rule: "crash.alone",
      server: [],
      standIn: ["synthetic", "tool.failed (call_a)", ...SECOND_CALL],
      reason: NO_SWEEP,
    },
    {
      rule: "crash.prompted",
      server: [
        "inbox.enqueued (Are you there?)",
        "tool.failed (call_a)",
        "inbox.delivered (Are you there?)",
        ...SECOND_CALL,
      ],
      standIn: ["inbox.enqueued (Are you there?)", "inbox.delivered (Are you there?)", ...ANSWER],
      reason: NO_SWEEP,
    },
    {
      rule: "crash.shown",
      server: [
        "system",
        "user: Record it.",
        callOf("crash"),
        "tool call_a: error: Tool execution interrupted",
        "user: Are you there?",
      ],
      standIn: [
        "system",
        "user: Record it.",
        callOf("crash"),
        "tool call_a: error: Tool execution interrupted: bash",
        "user: <restart notice>",
      ],
      reason: `${NO_SWEEP}; ${MESSAGE_NAMES_TOOL}`,
    },
    {
      rule: "crash.result",
      server:
        '{"error":{"type":"unknown","message":"Tool execution interrupted"},"content":[],"structured":{}}',
      standIn: "Error: Tool execution interrupted: bash",
      reason: RESULT_IN_WORDS,
    },
    { rule: "crash-doorbell.error-type", server: "unknown", standIn: "aborted", reason: UNTYPED_ERRORS },
    {
      rule: "crash-doorbell.error-message",
      server: "Tool execution interrupted",
      standIn: "Tool execution interrupted: bash",
      reason: MESSAGE_NAMES_TOOL,
    },
    {
      rule: "crash-doorbell.shown",
      server: [
        "system",
        "user: Record it.",
        callOf("crash-doorbell"),
        "tool call_a: error: Tool execution interrupted",
        "user: Are you there?",
      ],
      standIn: [
        "system",
        "user: Record it.",
        callOf("crash-doorbell"),
        "tool call_a: error: Tool execution interrupted: bash",
        "user: Are you there?",
      ],
      reason: MESSAGE_NAMES_TOOL,
    },
    {
      rule: "crash-doorbell.result",
      server:
        '{"error":{"type":"unknown","message":"Tool execution interrupted"},"content":[],"structured":{}}',
      standIn: "Error: Tool execution interrupted: bash",
      reason: RESULT_IN_WORDS,
    },
    ...KNOWN_PAYLOADS,
  ],
};
