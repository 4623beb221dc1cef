/**
 * Trials whose writes are numbered: reading what was written, and losing the object at one of its writes. The object ends itself
 * there, since nobody else is fast enough; what proves it is the request that was open at it, which carries the object's last word
 * to the controller as the runtime's error.
 */
import type { PrepareRequest } from "../trace/protocol/subject-protocol.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { lossIn } from "../trace/writes.ts";
import { submitOperation } from "./operations.ts";
import type { Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";

/** How long after the model's last answer a turn still writes, at most, in ms. */
const WRITTEN_OUT_MS = 1_500;
/** Most writes in one record. */
const WRITES_IN_RECORD = 1_000;

/** What the object is told of it when it is prepared. */
export function numbersWrites({ factors, numbersWrites }: TrialSpec): Pick<PrepareRequest, "writes"> {
  const { write } = factors;
  if (write === undefined && numbersWrites !== true) return {};
  return { writes: { lose: write ?? null } };
}

/** Reads what was written, where it is numbered. Touches the object. */
export async function snapshotWrites(recorder: Recorder): Promise<void> {
  const { spec, subject } = recorder;
  if (spec.numbersWrites !== true) return;
  const writes = await subject.writes();
  const { activation } = subject.served;
  if (activation === null) throw new Error("nobody says whose writes they are");
  for (let from = 0; from === 0 || from < writes.length; from += WRITES_IN_RECORD)
    recorder.note(`writes:${from}`, {
      source: "controller",
      type: "writes.numbered",
      activation,
      writes: writes.slice(from, from + WRITES_IN_RECORD),
      because: null,
    });
  await recorder.flush();
}

/** Waits until the turn is over without touching the object, as a trial that loses it does, and reads what it wrote. */
export async function turnWritten(recorder: Recorder): Promise<void> {
  const { spec } = recorder;
  if (spec.numbersWrites !== true) return;
  await recorder.watch(
    ["model.answered"],
    0,
    spec.bounds.arriveMs,
    ({ purpose, finish }) => purpose === "turn" && finish === "stop",
  );
  await recorder.pause(WRITTEN_OUT_MS);
  await snapshotWrites(recorder);
}

/** Hands the operation in and sees the object lost at its write. @throws TrialEnd when it is not. */
export async function submitAndLose(recorder: Recorder): Promise<void> {
  const { spec, subject } = recorder;
  if (recorder.isRepeated)
    throw new TrialEnd("error", "the controller was lost while the object was to be lost");
  recorder.enter("submit");
  await recorder.flush();
  const over = new AbortController();
  try {
    const lost = subject.loss(over.signal);
    const submitted = await submitOperation(recorder, "first");
    recorder.enter("arrive");
    await recorder.flush();
    const bound = scheduler.wait(spec.bounds.arriveMs, { signal: over.signal }).then(() => null);
    const outcome = await Promise.race([lost, bound]);
    if (outcome === null) throw notLost(spec, submitted.error);
    recorder.enter("reset");
    const base = { source: "controller", reset: "abort", ordinal: 1 } as const;
    recorder.note("reset-requested:1", { ...base, type: "reset.requested", activation: null });
    const mechanism = "ctx.abort() by the object itself, at a numbered write";
    if (!outcome.lost) {
      await recorder.record("reset:1", { ...base, type: "reset.refused", mechanism, error: outcome.error });
      throw new TrialEnd("reset-not-performed", outcome.error);
    }
    const write = lossIn(outcome.error);
    recorder.note("reset:1", {
      ...base,
      type: "reset.performed",
      mechanism,
      error: outcome.error,
      process: null,
      ...(write === null ? {} : { write }),
    });
  } finally {
    over.abort();
  }
}

function notLost({ factors: { write }, bounds }: TrialSpec, error: string | null): TrialEnd {
  if (error !== null) return new TrialEnd("submit-failed", error);
  return new TrialEnd(
    "point-not-reached",
    `write ${write?.number} was not come to within ${bounds.arriveMs} ms after the submission`,
  );
}
