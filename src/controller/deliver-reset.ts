/**
 * Delivering a reset and writing down what came of it. The controller's own are performed here and now; for one of the
 * runner's, the request is recorded, and whoever runs the trials performs and reports it.
 */
import type { RecordDraft } from "../trace/records.ts";
import {
  type ControllerReset,
  isForController,
  plannedResets,
  type SingleReset,
  traitsOf,
} from "../trace/resets.ts";
import { targetTraits } from "../trace/targets.ts";
import { CONTROLLER_RESETS } from "./controller-resets.ts";
import { takeUpJob } from "./job-record.ts";
import { openRequest } from "./open-request.ts";
import { holdFor } from "./points.ts";
import { errorText, type Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";

type Outcome = RecordDraft<"reset.performed" | "reset.refused">;

/** Delivers one reset. @throws TrialEnd when it was refused or nobody performed it. */
export async function deliverReset(recorder: Recorder, reset: SingleReset, ordinal: number): Promise<void> {
  const { spec } = recorder;
  await recorder.flush();
  const open = await openRequest(recorder, reset);
  await recorder.pause(spec.resetDelayMs);
  const requested = {
    source: "controller",
    type: "reset.requested",
    reset,
    ordinal,
    activation: null,
  } as const;
  recorder.note(`reset-requested:${ordinal}`, requested);
  const outcome: Outcome | null = isForController(reset)
    ? outcomeIn(await recorder.act(`reset:${ordinal}`, () => perform(recorder, reset, ordinal)))
    : await recorder.awaitRecord(
        `reset ${ordinal}`,
        ["reset.performed", "reset.refused"],
        spec.bounds.resetMs,
        (record) => record.ordinal === ordinal,
      );
  if (open !== null)
    recorder.note(`request-ended:${ordinal}`, {
      source: "controller",
      type: "request.ended",
      ordinal,
      ...(await open.ended()),
    });
  if (outcome === null)
    throw new TrialEnd("reset-not-performed", `nobody performed '${reset}' within ${spec.bounds.resetMs} ms`);
  if (outcome.type === "reset.refused") throw new TrialEnd("reset-not-performed", outcome.error);
}

/**
 * Lets the held request go as the reset leaves it. Of a dropped one, the receipt is undeliverable, and an uncommitted
 * attempt is rejected; where the trial wants that to land later, it stays held until the settle window.
 */
export async function releaseHeld(recorder: Recorder, reset: SingleReset, ordinal: number): Promise<void> {
  const { spec, ledger } = recorder;
  const hold = holdFor(spec, ordinal);
  if (hold === null || spec.factors.heldAttempt !== "dropped") return;
  // A caller that is an executor outlives the object that it works for.
  const callerStays = spec.container !== undefined && !targetTraits(spec.factors).losesExecutor;
  const { held } = traitsOf(reset);
  if (held === "kept") return;
  const how = held === "proceeds" || callerStays ? "proceed" : "drop";
  await recorder.tell(() => ledger.release({ hold, how }));
}

/** Lets a request go on that the reset left where it was held. */
export async function releaseKept(recorder: Recorder): Promise<void> {
  const { spec, ledger } = recorder;
  const hold = holdFor(spec, 1);
  const isKept = plannedResets(spec.factors).some((reset) => traitsOf(reset).held === "kept");
  if (isKept && hold !== null) await recorder.tell(() => ledger.release({ hold, how: "proceed" }));
}

/** Lets the first attempt commit now, after recovery has acted. */
export async function commitLate(recorder: Recorder): Promise<void> {
  const hold = holdFor(recorder.spec, 1);
  if (hold === null || recorder.spec.factors.heldAttempt !== "committed-late") return;
  await recorder.tell(() => recorder.ledger.release({ hold, how: "proceed" }));
}

function outcomeIn(record: RecordDraft): Outcome {
  if (record.type === "reset.performed" || record.type === "reset.refused") return record;
  throw new Error(`unexpected record ${record.type}`);
}

async function perform(recorder: Recorder, reset: ControllerReset, ordinal: number): Promise<Outcome> {
  const { mechanism, perform: act } = CONTROLLER_RESETS[reset];
  const { operationId, factors } = recorder.spec;
  const session = factors.drill === undefined ? null : (await takeUpJob(recorder)).session;
  const { delivered, error } = await act(recorder.subject, operationId, session);
  const base = { source: "controller", reset, ordinal, mechanism } as const;
  return delivered
    ? { ...base, type: "reset.performed", error: error === null ? null : errorText(error), process: null }
    : { ...base, type: "reset.refused", error };
}
