/**
 * Whether the session is there again, whole. Says nothing about whether work went on (`execution.ts`) or what it did
 * outside (`operations.ts`).
 */
import { z } from "zod";
import { Rate, Tally } from "../../trace/counts.ts";
import type { JournalRecord } from "../../trace/records.ts";
import { failedSinceLoss, unreadSince } from "../boot-failure.ts";
import { type CaseFile, isAnswered, lastExecutionEvent } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import { holesIn, lostBetween } from "../log-continuity.ts";
import { isEndOfCall } from "../recorded-calls.ts";
import { sessionGone } from "../session-records.ts";
import { readState, STATE_CODES } from "../state-kept.ts";
import {
  type Axis,
  type Counter,
  counted,
  expectedWord,
  SHARED_CODES,
  saidWord,
  wordColumn,
} from "./axis.ts";
import { words } from "./words.ts";

const Value = words({
  restored: "The session is there as it was.",
  "restored-damaged": "It is there, and something of it is missing or changed.",
  "intact-not-reactivated": "It lies whole in storage; nobody came back to it.",
  lost: "It is gone, or begun anew.",
  unknown: "The evidence does not decide it.",
});
const schema = answerSchema(Value);
type SessionAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  ...STATE_CODES,
  "never-away": "The session was there all the time and reads clean.",
  "marker-and-log": "The marker is there, and log, schema and transcript read clean.",
  "operation-known": "The subject keeps no log; it still knew the operation.",
  "transcript-kept": "The subject keeps no log; its messages are there.",
  "not-read-offline": "Nobody came back, and the storage was not read without the object.",
  "read-offline": "Nobody came back; the session lies whole in storage.",
  "schema-unreadable":
    "The object failed since it could not read a table, a column or a migration of its storage.",
  "store-unreadable": "The object failed since it could not read its storage.",
  deleted: "Its record was deleted, and no session lies in storage.",
  "log-restarted": "Nothing seen before the reset is left in the session log.",
  "log-empty": "The session log is empty.",
  "log-not-read": "The session log was not read at the end.",
  "schema-not-read": "The schema was not read at the end.",
  "transcript-not-read": "The transcript was not read at the end.",
  "look-missing": "The look before the reset left no read of the log to compare with.",
  "log-incomplete": "The last read of the session log is not whole.",
  "table-unreadable": "A table could not be read.",
  "events-unreadable": "Some events of the session log could not be read.",
  "events-doubled": "Some events of the session log appear twice.",
  "events-changed": "Some events of the session log are not the ones seen before the reset.",
  "events-missing": "Some events of the session log that were seen before the reset are gone.",
  "operation-not-asked-again": "Nothing shows whether the session still knows its operation.",
  "operation-forgotten": "The session does not know its operation any more: it took it as new work.",
  "watermark-behind": "The log's watermark lies before events that it has.",
  "cursor-went-back": "The log's cursor lies before the one of the look before the reset.",
  "log-unfinished": "The outcome says done, and the log ends in the middle of the execution.",
  "log-contradicts-outcome": "The outcome says done, and the log ends the execution otherwise.",
  "schema-empty": "The schema has no table.",
  "rows-contradict-log": "The event table has fewer rows than the log has events.",
  "prompt-not-in-transcript": "The transcript lacks the user's message.",
  "transcript-contradicts-log": "The transcript has a call under way that the log has as ended.",
  "marker-gone-but-log-continues": "The marker is gone although the session log goes on.",
} as const;

type Read<T extends "snapshot.schema" | "snapshot.log"> = JournalRecord<T>;

const STARTED = "session.execution.started";
const SUCCEEDED = "session.execution.succeeded";
/** States of a tool part that is under way, as OpenCode names them. */
const UNDER_WAY = ["pending", "running", "streaming"];

type Session = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const session = {
  name: "session",
  asks: "Is the session there again, whole?",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: (file) => orUnread(file, judgeSession(file)),
  said: saidWord,
  expected: { session: expectedWord(Value) },
  columns: [wordColumn("session")],
  counted: {
    /** First answer: was the session restored? */
    session: counted({
      schema: z.strictObject({ values: Tally, restored: Rate }),
      of: (count: Counter<SessionAnswer>) => ({
        values: count.tally(({ value }) => value),
        restored: count.rate(
          ({ value }) => value === "restored",
          ({ value }) => value !== "unknown",
        ),
      }),
      asked: { question: "session restored?", answers: ({ values }) => values, usual: ["restored"] },
      rates: { restored: ({ restored }) => restored },
      figures: [{ title: "sessions\nrestored", of: ({ restored }) => restored }],
    }),
  },
} as const satisfies Axis<SessionAnswer>;

/** A store that could not be read is not one without sessions; what was read from the files by the kit still counts. */
function orUnread(file: CaseFile, judged: Session): Session {
  const { log, transcript } = file.collect;
  const ofFiles = [log, transcript].find((reading) => reading?.how === "offline");
  // Whole on the files, and the object failed whenever it was started: nobody came back to it.
  if (judged.value === "restored" && ofFiles !== undefined && failedSinceLoss(file).length > 0)
    return answer(
      "intact-not-reactivated",
      unreadSince(file)?.code ?? "read-offline",
      file.lastLoss?.performed,
      failedSinceLoss(file),
      ofFiles,
    );
  if (judged.value !== "lost" && judged.value !== "unknown") return judged;
  const unread = unreadSince(file);
  return unread === null ? judged : answer("unknown", unread.code, file.lastLoss?.performed, unread.record);
}

function judgeSession(file: CaseFile): Session {
  const { lastLoss, newest } = file;
  if (file.activations.length === 0) return answer("unknown", "subject.activated", file.ended);
  if (lastLoss !== null && newest === null) return notReactivated(file);
  // Without a loss there is nothing to have come back from: the first activation wrote the marker itself.
  const reborn = newest !== null && newest !== file.activations[0] ? newest : null;
  if (reborn !== null) {
    const state = readState(file, reborn);
    if (state.value === "unknown") return answer("unknown", state.code, reborn, state.records);
    if (state.value === "gone")
      return logGoesOn(file)
        ? answer("unknown", "marker-gone-but-log-continues", reborn, file.look, file.collect.log)
        : answer("lost", state.code, reborn, state.records, file.resubmitted, file.collect.log);
  }
  return readingOf(file, reborn);
}

/** Nobody came back: what was read from the files says whether the session still lies there. */
function notReactivated(file: CaseFile): Session {
  const { log } = file.collect;
  const { lastLoss } = file;
  const dead = lastLoss?.performed.process != null;
  if (!dead) return answer("unknown", "reset-not-delivered", lastLoss?.performed);
  if (log === null || log.how !== "offline" || log.error !== null || !log.offered)
    return answer("unknown", "not-read-offline", lastLoss?.performed, log);
  if (log.events.length === 0) return answer("lost", "log-empty", lastLoss?.performed, log);
  const reading = readingOf(file, null);
  if (reading.value !== "restored") return reading;
  return answer("intact-not-reactivated", "read-offline", lastLoss?.performed, file.look, log);
}

/** How the session reads at the end. */
function readingOf(file: CaseFile, reborn: { seq: number } | null): Session {
  const { log, schema, transcript } = file.collect;
  if (log === null || log.error !== null) return answer("unknown", "log-not-read", log ?? file.ended);
  if (schema === null || schema.error !== null)
    return answer("unknown", "schema-not-read", schema ?? file.ended);
  const deletion = sessionGone(file);
  if (deletion !== null) return answer("lost", "deleted", deletion, schema);
  if (transcript === null || transcript.error !== null)
    return answer("unknown", "transcript-not-read", transcript ?? file.ended);
  const lookedAt = file.of("phase.entered").find(({ phase }) => phase === "look");
  if (lookedAt !== undefined && file.of("snapshot.log").every(({ when }) => when !== "look"))
    return answer("unknown", "look-missing", lookedAt);
  const broken = schema.tables.filter(({ error }) => error !== undefined);
  if (broken.length > 0) return answer("restored-damaged", "table-unreadable", reborn, schema);
  const forgotten = operationForgotten(file);
  if (!log.offered) return forgotten ?? withoutLog(file, reborn);
  const unasked = knowledgeMissing(file, reborn);
  if (unasked !== null) return unasked;
  if (log.synced === null || holesIn(log).length > 0) return answer("unknown", "log-incomplete", log);
  if (log.unreadable > 0) return answer("restored-damaged", "events-unreadable", reborn, log);
  if (log.duplicates.length > 0) return answer("restored-damaged", "events-doubled", reborn, log);
  const newestSeq = Math.max(...log.events.map(({ seq }) => seq));
  if (log.events.length > 0 && log.synced < newestSeq)
    return answer("restored-damaged", "watermark-behind", reborn, log);
  if (file.look !== null) {
    const { missing, changed, kept } = lostBetween(file.look, log, file.spec.operationId);
    // A log that began anew has other events in the place of the old ones; one that was cut off lacks them.
    if (kept === 0 && (changed.length > 0 || (missing.length > 0 && log.events.length === 0)))
      return answer("lost", "log-restarted", reborn, file.look, log);
    if (changed.length > 0) return answer("restored-damaged", "events-changed", reborn, file.look, log);
    if (missing.length > 0) return answer("restored-damaged", "events-missing", reborn, file.look, log);
    if (file.look.synced !== null && log.synced < file.look.synced)
      return answer("restored-damaged", "cursor-went-back", reborn, file.look, log);
  }
  if (log.events.length === 0) return answer("unknown", "log-empty", reborn, log);
  return (
    forgotten ??
    contradictionOf(file) ??
    answer("restored", reborn === null ? "never-away" : "marker-and-log", reborn, log, schema, transcript)
  );
}

/** A client came back and did not learn whether the session knows the operation that it had taken on. */
function knowledgeMissing(file: CaseFile, reborn: { seq: number } | null): Session | null {
  const back = file.of("client.reconnected").at(-1);
  if (reborn === null || file.spec.factors.reconnect === "never") return null;
  if (file.submitted?.accepted !== true || back?.ok === false) return null;
  const asked = file.of("operation.submitted").filter(({ purpose }) => purpose === "again");
  if (asked.some(({ accepted }) => accepted !== null)) return null;
  return answer("unknown", "operation-not-asked-again", reborn, back, asked);
}

/** The storage is there, and the session in it does not know its operation any more. */
function operationForgotten(file: CaseFile): Session | null {
  if (file.resubmitted === null || file.submitted?.accepted !== true) return null;
  return answer("restored-damaged", "operation-forgotten", file.submitted, file.resubmitted);
}

/** Where log, transcript, schema and outcome contradict each other: the session is there, and not whole. */
function contradictionOf(file: CaseFile): Session | null {
  const { log, schema, transcript } = file.collect;
  if (log === null || schema === null || transcript === null) return null;
  const last = lastExecutionEvent(log);
  const done = file.settled !== null && isAnswered(file.settled) && file.settled.status === "done";
  if (done && last !== null && last.type === STARTED)
    return answer("restored-damaged", "log-unfinished", file.settled, log);
  if (done && last !== null && last.type !== STARTED && last.type !== SUCCEEDED)
    return answer("restored-damaged", "log-contradicts-outcome", file.settled, log);
  if (schema.tables.length === 0) return answer("restored-damaged", "schema-empty", schema, log);
  if (rowsContradict(schema, log)) return answer("restored-damaged", "rows-contradict-log", schema, log);
  // What was accepted and not begun is in no message, and the session says so itself.
  const waits = transcript.pending.some(({ operationId }) => operationId === file.spec.operationId);
  if (!waits && !transcript.messages.some(({ type }) => type === "user"))
    return answer("restored-damaged", "prompt-not-in-transcript", transcript, log);
  const ended = new Set(
    log.events.flatMap(({ type, call }) => (call !== undefined && isEndOfCall(type) ? [call] : [])),
  );
  const stale = transcript.messages
    .flatMap(({ tools = [] }) => tools)
    .find(({ call, status }) => UNDER_WAY.includes(status) && ended.has(call));
  if (stale !== undefined) return answer("restored-damaged", "transcript-contradicts-log", transcript, log);
  return null;
}

/**
 * Whether the event table has fewer rows than the log has events. Counted where the layout is known, an event table
 * beside a session table; an event table without any row contradicts a log with events in any layout.
 */
function rowsContradict(schema: Read<"snapshot.schema">, log: Read<"snapshot.log">): boolean {
  const named = (name: string) => schema.tables.find((table) => table.name.split("_").at(-1) === name);
  const rows = named("event")?.rows ?? null;
  if (rows === null) return false;
  const events = new Set(log.events.map(({ seq }) => seq)).size;
  return rows < events && (rows === 0 || named("session") !== undefined);
}

/** A subject that keeps no log is judged by what it does keep: its marker, and the operation or the messages. */
function withoutLog(file: CaseFile, reborn: { seq: number } | null): Session {
  const { transcript } = file.collect;
  const readable = transcript?.messages.filter(({ type }) => type !== "unreadable") ?? [];
  if (readable.length > 0 && !readable.some(({ type }) => type === "user"))
    return answer("restored-damaged", "prompt-not-in-transcript", reborn, transcript);
  const before = file
    .of("snapshot.transcript")
    .findLast(({ seq, error }) => error === null && seq < (file.firstLoss?.from ?? 0));
  if (transcript?.messages.length === 0 && (before?.messages.length ?? 0) > 0)
    return answer("restored-damaged", "prompt-not-in-transcript", before, reborn, transcript);
  const known = file
    .of("operation.submitted")
    .find(({ purpose, accepted }) => purpose === "again" && accepted === false);
  if (known !== undefined) return answer("restored", "operation-known", reborn, known);
  if ((transcript?.messages.length ?? 0) > 0)
    return answer("restored", "transcript-kept", reborn, transcript);
  return answer("unknown", "log-not-offered", reborn, file.collect.log);
}

/** Whether the log at the end still has what only the session of before the reset can have written. */
function logGoesOn(file: CaseFile): boolean {
  const { log } = file.collect;
  if (file.look === null || log === null || file.look.events.length === 0) return false;
  const { missing, changed } = lostBetween(file.look, log, file.spec.operationId);
  return missing.length + changed.length === 0;
}
