/**
 * The phases of a trial (docs/trial.md, "Phases"). A phase acts through the recorder and leaves records; a phase after which
 * going on makes no sense throws `TrialEnd`. `arriveAndReset` and `quiet` are steps of their own; the others are parts of one
 * (workflow.ts).
 *
 * Between a reset and `quiet.ended` nothing here touches the object, unless the trial's client reconnects at once.
 */

import { PeerError } from "../link/call.ts";
import { WITNESS_NOT_OFFERED } from "../trace/protocol/subject-protocol.ts";
import { plannedResets, takesTurn } from "../trace/resets.ts";
import type { Environment } from "../trace/spec.ts";
import { beginAnew } from "./begin-anew.ts";
import { commitLate, deliverReset, releaseHeld } from "./deliver-reset.ts";
import { carryOut } from "./drills.ts";
import { readOn } from "./durable-cursor.ts";
import { failedToOpen, readingMade, requestReading, stayedAway } from "./file-readings.ts";
import { readIdentity } from "./identity.ts";
import { recordJob } from "./job-record.ts";
import { numbersWrites, snapshotWrites, turnWritten } from "./numbered-writes.ts";
import {
  aheadSettled,
  anewSettled,
  followUp,
  operationSettled,
  probe,
  submitAhead,
  submitAnew,
  submitOperation,
  touch,
} from "./operations.ts";
import { arrive, holdsOf } from "./points.ts";
import type { Recorder } from "./recorder.ts";
import { beginNewWork, beginOldWork, useReferences } from "./references.ts";
import { snapshotJobs, snapshotLog, snapshotSchema, snapshotTranscript } from "./snapshots.ts";
import { TrialEnd } from "./trial-end.ts";

/** How much later than due the alarm witness may fire before the wait for it is given up, in ms. */
const WITNESS_GRACE_MS = 20_000;
/** How long before the end of the quiet interval its storage is read, in ms: as long as many trials' readings take. */
const READING_BEFORE_END_MS = 3_000;

export async function prepare(recorder: Recorder, environment: Environment): Promise<void> {
  const { spec, subject } = recorder;
  const { destination, heldAttempt, lookUps, policy, key, model } = spec.factors;
  const config = {
    ...{ destination, holds: holdsOf(spec), heldAttempt, policy, key, intended: spec.intended },
    ...(model === undefined ? {} : { model }),
    ...(lookUps === undefined ? {} : { lookUps }),
    ...(spec.script === undefined ? {} : { script: spec.script }),
  };
  await recorder.tell(() => recorder.ledger.configure(config));
  recorder.note("trial-started", { source: "controller", type: "trial.started", spec, environment });
  recorder.enter("prepare");
  await recorder.act("marker", async () => {
    const prepared = await subject.prepare({ marker: spec.marker, key, ...numbersWrites(spec) });
    return {
      source: "controller",
      type: "marker.written",
      marker: spec.marker,
      activation: prepared.activation,
    };
  });
  await readIdentity(recorder, "begin");
  // Armed in every trial: a baseline also says what the runtime did with alarms while it ran.
  await recorder.act("canary", async () => {
    const delayMs = spec.bounds.canaryMs;
    try {
      const { dueAt } = await subject.armWitness({ delayMs, silent: spec.sabotage === "canary-silent" });
      return { source: "controller", type: "canary.armed", delayMs, canaryAt: dueAt };
    } catch (error) {
      if (!(error instanceof PeerError && error.code === WITNESS_NOT_OFFERED)) throw error;
      return { source: "controller", type: "canary.not-offered", why: error.message };
    }
  });
}

export async function submit(recorder: Recorder): Promise<void> {
  recorder.enter("submit");
  await submitAhead(recorder);
  const submitted = await submitOperation(recorder, "first");
  if (submitted.error !== null) throw new TrialEnd("submit-failed", submitted.error);
  recordJob(recorder, submitted);
}

/**
 * Comes to the point and delivers every reset of the trial, one after the other. Resolves with the record that begins the
 * quiet interval, or null where the trial has none.
 */
export async function arriveAndReset(recorder: Recorder): Promise<number | null> {
  const { factors, bounds } = recorder.spec;
  const planned = plannedResets(factors);
  if (factors.point === "none") return null;
  const untouched = await recorder.step("arrive 1", async () => {
    recorder.enter("arrive");
    await arrive(recorder, 1);
    if (planned.length === 0) return beginQuiet(recorder);
    await look(recorder);
    recorder.enter("reset");
    return null;
  });
  let quietSince = untouched;
  for (const [index, reset] of planned.entries()) {
    const ordinal = index + 1;
    if (ordinal > 1)
      await recorder.step(`arrive ${ordinal}`, async () => {
        if (factors.reconnect === "at-once") await touch(recorder, `reconnected:${index}`);
        await arrive(recorder, ordinal);
      });
    quietSince = await recorder.step(`reset ${ordinal}`, async () => {
      await deliverReset(recorder, reset, ordinal);
      await releaseHeld(recorder, reset, ordinal);
      if (ordinal < planned.length) return null;
      // The turn is over at once; the bound only keeps a broken host from looking like a settled one.
      if (takesTurn(reset)) await recorder.pause(Math.min(1_000, bounds.operationMs));
      return beginQuiet(recorder);
    });
  }
  return quietSince;
}

/** Null for a client that comes back at once. */
export async function beginQuiet(recorder: Recorder): Promise<number | null> {
  const { reconnect, quietMs } = recorder.spec.factors;
  if (reconnect === "at-once") return null;
  recorder.enter("quiet");
  return recorder.record("quiet-started", { source: "controller", type: "quiet.started", quietMs });
}

/** Leaves the object alone. Only the journal is watched. `since`: the record that began it. */
export async function quiet(recorder: Recorder, since: number): Promise<void> {
  const { quietMs } = recorder.spec.factors;
  // Just before the end: what the object owes then, it owes by itself. The reading takes its time, and many trials end their
  // quiet together, so it is asked for while they all keep still.
  const readingMs = Math.min(quietMs, READING_BEFORE_END_MS);
  await recorder.rest("quiet", quietMs - readingMs);
  await recorder.step("reading", async () => {
    await requestReading(recorder, "quiet", since);
    await recorder.pause(readingMs);
    await readingMade(recorder, "quiet");
    recorder.note("quiet-ended", { source: "controller", type: "quiet.ended" });
  });
}

/** Comes back as a client. Resolves with whether the object was reached. */
export async function reconnect(recorder: Recorder): Promise<boolean> {
  const { point, reconnect: when, drill, reprompt } = recorder.spec.factors;
  if (when === "never") return false;
  if (drill !== undefined) return carryOut(recorder, drill);
  recorder.enter("reconnect");
  let reached = true;
  // A trial that was never away has a client that never left.
  if (point !== "none") {
    reached = await touch(recorder, "reconnected");
    await readOn(recorder);
    await useReferences(recorder, "before-new-work");
  }
  // During recovery: whoever comes back at once waits for nothing.
  if (reprompt !== undefined && when === "at-once") await submitAnew(recorder);
  await aheadSettled(recorder);
  if (point === "none") await turnWritten(recorder);
  const end = await operationSettled(recorder, "operation", 2);
  if (reprompt !== undefined) {
    if (when !== "at-once") await submitAnew(recorder);
    await anewSettled(recorder);
  }
  if (point !== "none") {
    const again = await submitOperation(recorder, "again");
    // Accepted a second time: the object no longer knows the operation, so this is new work with its own result.
    if (again.accepted === true) await operationSettled(recorder, "operation", 3);
    else if (end === "idle") await goOn(recorder);
  }
  await probe(recorder);
  await beginNewWork(recorder);
  if (point !== "none") await useReferences(recorder, "after-new-work");
  await readIdentity(recorder, "follow-up");
  await beginAnew(recorder);
  return reached;
}

/**
 * What is left to a client of an idle session: handing in the operation again may have set it going; where it did not, a
 * further prompt does.
 */
async function goOn(recorder: Recorder): Promise<void> {
  if ((await operationSettled(recorder, "operation", 3)) !== "idle") return;
  await followUp(recorder);
  await operationSettled(recorder, "operation", 4);
}

/** Begins the settle window. */
export async function beginSettling(recorder: Recorder): Promise<void> {
  // Nobody came back to ask, so the result is asked for now, when touching the object changes nothing any more. One that
  // never came back has none, and is not woken to say so.
  if (recorder.spec.factors.reconnect === "never" && (await stayedAway(recorder)) === null)
    await operationSettled(recorder, "operation", 2);
  recorder.enter("settle");
  await commitLate(recorder);
}

/** Waits for the witness's alarm, or for its being given up. */
export async function witnessFired(recorder: Recorder): Promise<void> {
  await recorder.awaitRecord(
    "canary",
    ["canary.fired", "canary.not-offered"],
    recorder.spec.bounds.canaryMs + WITNESS_GRACE_MS,
  );
}

/**
 * Reads everything once more, whole: the record stream from before a reset may have gaps. The storage of an object that
 * never came back is read from its files, since a request would bring the object back; and so is one that fails when it is
 * asked, since its storage may be whole. `wasReached`: a client came to it after the loss.
 */
export async function collect(recorder: Recorder, wasReached: boolean): Promise<void> {
  const { subject, spec } = recorder;
  recorder.enter("collect");
  const loss = wasReached ? null : await stayedAway(recorder);
  if (loss !== null) {
    await requestReading(recorder, "collect", loss);
    if (await readingMade(recorder, "collect")) return;
  }
  const losing = spec.sabotage === "recorder-gap";
  await recorder.flush();
  // What is owed comes first: reading a session opens its host, which then owes the closing of it.
  await recorder.read("collect:jobs", () => snapshotJobs(subject, "collect"));
  const log = await recorder.read("collect:log", () => snapshotLog(subject, "collect", losing));
  const read = await recorder.read("collect:transcript", () => snapshotTranscript(subject, "collect"));
  // A harness that has two readings of one session must show the same work in both.
  if (read.type === "snapshot.transcript" && read.via !== undefined)
    await recorder.read("collect:messages", () => snapshotTranscript(subject, "collect", "messages"));
  const statements = spec.sets !== undefined;
  await recorder.read("collect:schema", () => snapshotSchema(subject, "collect", { statements }));
  await readIdentity(recorder, "settled");
  // A subject that offers no log says so without being reached; its transcript shows whether it was.
  const isUnread = [log, read].some((record) => "error" in record && record.error !== null);
  const failure = isUnread ? await failedToOpen(recorder) : null;
  if (failure === null) return;
  await requestReading(recorder, "collect", failure);
  await readingMade(recorder, "collect");
}

/**
 * Reads what the object holds before the first reset: the last touch before it. The point is held meanwhile, so that
 * reading takes nothing from it.
 */
async function look(recorder: Recorder): Promise<void> {
  const { subject, spec } = recorder;
  recorder.enter("look");
  await recorder.flush();
  // First of all: reading the others may write.
  await snapshotWrites(recorder);
  const losing = spec.sabotage === "recorder-gap" || spec.sabotage === "recorder-gap-repaired";
  await recorder.read("look:jobs", () => snapshotJobs(subject, "look"));
  await recorder.read("look:log", () => snapshotLog(subject, "look", losing));
  await recorder.read("look:transcript", () => snapshotTranscript(subject, "look"));
  await recorder.read("look:schema", () => snapshotSchema(subject, "look"));
  await beginOldWork(recorder);
  await readIdentity(recorder, "before");
}
