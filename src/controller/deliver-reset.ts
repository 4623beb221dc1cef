/**
 * Delivering a reset and writing down what came of it. The controller performs those that go through the object; a
 * reset of a process, or an eviction, is the CLI's to perform and to report.
 */
import { CLI_RESETS, CONTROLS, type Reset } from "../trace/levels.ts";
import type { JournalRecord, RecordDraft } from "../trace/records.ts";
import { holdFor } from "./points.ts";
import { errorText, type Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";

/** How long a client of the `client-disconnect` and `stop-waiting` controls waits before it leaves, in ms. */
const CLIENT_PATIENCE_MS = 500;

type Outcome = JournalRecord<"reset.performed" | "reset.refused">;

/** Delivers one reset. @throws TrialEnd when it was refused or nobody performed it. */
export async function deliverReset(recorder: Recorder, reset: Reset, ordinal: number): Promise<void> {
  const { spec } = recorder;
  if (spec.resetDelayMs > 0) await recorder.sleep(`before reset ${ordinal}`, spec.resetDelayMs);
  const requested = {
    source: "controller",
    type: "reset.requested",
    reset,
    ordinal,
    activation: null,
  } as const;
  await recorder.together(`reset ${ordinal}`, async () => {
    await recorder.record(`reset-requested:${ordinal}`, requested);
    if (!CLI_RESETS.includes(reset))
      await recorder.act(`reset:${ordinal}`, () => perform(recorder, reset, ordinal));
  });
  const outcome: Outcome | null = await recorder.awaitRecord(
    `reset ${ordinal}`,
    ["reset.performed", "reset.refused"],
    spec.bounds.resetMs,
    (record) => record.ordinal === ordinal,
  );
  if (outcome === null)
    throw new TrialEnd("reset-not-performed", `nobody performed '${reset}' within ${spec.bounds.resetMs} ms`);
  if (outcome.type === "reset.refused") throw new TrialEnd("reset-not-performed", outcome.error);
}

/**
 * Lets the held request go as the trial wants it. A host that is gone gets nothing any more: its receipt is
 * undeliverable, its uncommitted attempt is dropped (or lands later, in the settle window). A control leaves the host
 * alone, so the request goes on.
 */
export async function releaseHeld(recorder: Recorder, reset: Reset, ordinal: number): Promise<void> {
  const { spec, ledger } = recorder;
  const hold = holdFor(spec, ordinal);
  if (hold === null || spec.factors.heldAttempt === "committed-late") return;
  const goesOn = (CONTROLS.includes(reset) && reset !== "interrupt") || reset === "redeploy-deferred";
  await recorder.tell(`release ${ordinal}`, () => ledger.release({ hold, how: goesOn ? "proceed" : "drop" }));
}

/** Lets the first attempt commit now, after recovery has acted. */
export async function commitLate(recorder: Recorder): Promise<void> {
  const hold = holdFor(recorder.spec, 1);
  if (hold === null || recorder.spec.factors.heldAttempt !== "committed-late") return;
  await recorder.tell("commit late", () => recorder.ledger.release({ hold, how: "proceed" }));
}

async function perform(recorder: Recorder, reset: Reset, ordinal: number): Promise<RecordDraft> {
  const { subject, spec } = recorder;
  const done = (mechanism: string, error: string | null): RecordDraft => ({
    source: "controller",
    type: "reset.performed",
    reset,
    ordinal,
    mechanism,
    error,
    process: null,
  });
  const refused = (mechanism: string, error: string): RecordDraft => ({
    source: "controller",
    type: "reset.refused",
    reset,
    ordinal,
    mechanism,
    error,
  });
  switch (reset) {
    case "abort": {
      const { lost, error } = await subject.reset();
      return lost ? done("ctx.abort()", error) : refused("ctx.abort()", error);
    }
    case "client-disconnect": {
      const mechanism = "a client closed its connection in the middle of a wait";
      const left = await subject
        .wait(spec.operationId, CLIENT_PATIENCE_MS * 20, AbortSignal.timeout(CLIENT_PATIENCE_MS))
        .then(() => null, errorText);
      return left === null
        ? refused(mechanism, "the operation had settled before the client left")
        : done(mechanism, left);
    }
    case "stop-waiting": {
      const mechanism = "the signal of a wait was aborted; the operation was left alone";
      const answer = await subject.wait(spec.operationId, CLIENT_PATIENCE_MS);
      return answer.settled ? refused(mechanism, "the operation had settled already") : done(mechanism, null);
    }
    case "interrupt":
      return (await subject.abort())
        ? done("the harness's abort of the session", null)
        : refused("the harness's abort of the session", "there was nothing to interrupt");
    default:
      return refused("none", `the controller cannot perform '${reset}'`);
  }
}
