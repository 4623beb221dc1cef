/**
 * Whether the session is there again, whole. Says nothing about whether work went on (`execution.ts`) or what it did
 * outside (`operations.ts`).
 */
import type { Verdict } from "../trace/verdict.ts";
import type { CaseFile } from "./case-file.ts";
import { type Answer, answer } from "./finding.ts";
import { holesIn, lostBetween } from "./log-continuity.ts";
import { readState } from "./state-kept.ts";

type Session = Verdict["session"]["value"];

export function judgeSession(file: CaseFile): Answer<Session> {
  const { lastLoss, newest } = file;
  if (file.activations.length === 0) return answer("unknown", "subject.activated", file.ended);
  if (lastLoss !== null && newest === null) return notReactivated(file);
  // Without a loss there is nothing to have come back from: the first activation wrote the marker itself.
  const reborn = newest !== null && newest !== file.activations[0] ? newest : null;
  if (reborn !== null) {
    const state = readState(file, reborn);
    if (state.value === "unknown") return answer("unknown", state.code, reborn, state.records);
    if (state.value === "gone" && state.code !== "known-operation-accepted-as-new")
      return logGoesOn(file)
        ? answer("unknown", "marker-gone-but-log-continues", reborn, file.look, file.collect.log)
        : answer("lost", state.code, reborn, state.records, file.resubmitted, file.collect.log);
  }
  return readingOf(file, reborn);
}

/** Nobody came back: what was read from the files says whether the session still lies there. */
function notReactivated(file: CaseFile): Answer<Session> {
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
function readingOf(file: CaseFile, reborn: { seq: number } | null): Answer<Session> {
  const { log, schema, transcript } = file.collect;
  if (log === null || log.error !== null) return answer("unknown", "log-not-read", log ?? file.ended);
  if (schema === null || schema.error !== null)
    return answer("unknown", "schema-not-read", schema ?? file.ended);
  if (transcript === null || transcript.error !== null)
    return answer("unknown", "transcript-not-read", transcript ?? file.ended);
  const lookedAt = file.of("phase.entered").find(({ phase }) => phase === "look");
  if (lookedAt !== undefined && file.of("snapshot.log").every(({ when }) => when !== "look"))
    return answer("unknown", "look-missing", lookedAt);
  const broken = schema.tables.filter(({ error }) => error !== undefined);
  if (broken.length > 0) return answer("restored-damaged", "table-unreadable", reborn, schema);
  if (!log.offered) return withoutLog(file, reborn);
  if (log.synced === null || holesIn(log).length > 0) return answer("unknown", "log-incomplete", log);
  if (log.unreadable > 0) return answer("restored-damaged", "events-unreadable", reborn, log);
  if (log.duplicates.length > 0) return answer("restored-damaged", "events-doubled", reborn, log);
  if (file.look !== null) {
    const { missing, changed, kept } = lostBetween(file.look, log, file.spec.operationId);
    if (kept === 0 && missing.length + changed.length > 0)
      return answer("lost", "log-restarted", reborn, file.look, log);
    if (changed.length > 0) return answer("restored-damaged", "events-changed", reborn, file.look, log);
    if (missing.length > 0) return answer("restored-damaged", "events-missing", reborn, file.look, log);
  }
  if (log.events.length === 0) return answer("unknown", "log-empty", reborn, log);
  return answer(
    "restored",
    reborn === null ? "never-away" : "marker-and-log",
    reborn,
    log,
    schema,
    transcript,
  );
}

/** A subject that keeps no log is judged by what it does keep: its marker, and the operation or the messages. */
function withoutLog(file: CaseFile, reborn: { seq: number } | null): Answer<Session> {
  const { transcript } = file.collect;
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
