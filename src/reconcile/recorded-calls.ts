/**
 * What the session itself has recorded of each tool call: its log where it keeps one, else its transcript. The words of
 * both are other people's; those that end a call are listed here.
 */
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";
import { holesIn } from "./log-continuity.ts";

/** How a call is recorded to have ended; null while it has no end. */
type RecordedEnd = "succeeded" | "failed" | null;

type RecordedCalls = {
  readonly ends: ReadonlyMap<string, RecordedEnd>;
  readonly source: JournalRecord<"snapshot.log" | "snapshot.transcript"> | null;
  /** Whether a call that is not among them is not in the session's record, as opposed to not read. */
  readonly whole: boolean;
};

const OPENED = ["session.tool.input.started", "session.tool.called"];
const CLOSED: Readonly<Record<string, RecordedEnd>> = {
  "session.tool.success": "succeeded",
  "session.tool.failed": "failed",
};
/** The same events before OpenCode 2, when the core that writes them was the next one. */
const OLD_PREFIX = /^session\.next\./;
/** States of a tool part: OpenCode's, the container harness's, and the AI SDK's. Every other state has no end yet. */
const STATES: Readonly<Record<string, RecordedEnd>> = {
  completed: "succeeded",
  done: "succeeded",
  error: "failed",
  "output-available": "succeeded",
  "output-error": "failed",
  "output-denied": "failed",
};

/** Whether an event ends a call, in the log of any version. */
export function isEndOfCall(type: string): boolean {
  return type.replace(OLD_PREFIX, "session.") in CLOSED;
}

/** Whether an event says that a call succeeded, in the log of any version. */
export function isSuccessOfCall(type: string): boolean {
  return CLOSED[type.replace(OLD_PREFIX, "session.")] === "succeeded";
}

export function recordedCalls(file: CaseFile): RecordedCalls {
  const { log } = file.collect;
  return log !== null && !log.offered ? fromTranscript(file) : fromLog(log);
}

function fromLog(log: JournalRecord<"snapshot.log"> | null): RecordedCalls {
  const ends = new Map<string, RecordedEnd>();
  for (const { call, type: written } of log?.events ?? []) {
    if (call === undefined) continue;
    const type = written.replace(OLD_PREFIX, "session.");
    const end = CLOSED[type];
    if (end !== undefined) ends.set(call, end);
    else if (OPENED.includes(type) && !ends.has(call)) ends.set(call, null);
  }
  return { ends, source: log, whole: log !== null && isWhole(log) };
}

/** Whether a call that the log does not have was never in it. Nested calls share the id of the program that made them. */
function isWhole(log: JournalRecord<"snapshot.log">): boolean {
  const { after, error, synced, unreadable, events } = log;
  return (
    after === null &&
    error === null &&
    synced !== null &&
    unreadable === 0 &&
    holesIn(log).length === 0 &&
    events.some(({ type }) => OPENED.includes(type.replace(OLD_PREFIX, "session.")) || isEndOfCall(type))
  );
}

function fromTranscript(file: CaseFile): RecordedCalls {
  const { transcript } = file.collect;
  const messages = transcript?.messages ?? [];
  const ends = new Map<string, RecordedEnd>();
  for (const { tools } of messages)
    for (const { call, status } of tools ?? []) ends.set(call, STATES[status] ?? null);
  const readable = transcript !== null && transcript.error === null && messages.length > 0;
  const whole =
    readable && messages.every(({ type }) => type !== "unreadable") && !hasNamesOfItsOwn(ends, file);
  return { ends, source: transcript, whole };
}

/**
 * Whether the record calls its calls otherwise than the model did, as an agent's CLI may. Then nobody can say which of them
 * is missing.
 */
function hasNamesOfItsOwn(ends: ReadonlyMap<string, RecordedEnd>, { of }: CaseFile): boolean {
  if (ends.size === 0) return false;
  const made = of("model.answered").flatMap(({ toolCalls }) => toolCalls.map(({ call }) => call));
  return made.length > 0 && made.every((call) => !ends.has(call));
}
