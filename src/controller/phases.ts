/**
 * The phases of a trial (design, section 6), one function each. A phase acts through the recorder and leaves
 * records; a phase after which going on makes no sense throws `TrialEnd`.
 *
 * Between `reset.performed` and `quiet.ended` nothing here touches the object.
 */
import { operationPrompt, parseClaim, probePrompt } from "../model/index.ts";
import { WAIT_MS_MAX } from "../trace/protocol/subject.ts";
import type { RecordDraft } from "../trace/records.ts";
import type { Environment, TrialSpec } from "../trace/spec.ts";
import { errorText, type Recorder } from "./recorder.ts";
import { snapshotJobs, snapshotLog, snapshotSchema, snapshotTranscript } from "./snapshots.ts";
import { TrialEnd } from "./trial-end.ts";

/** How much later than due the runtime canary may fire before the wait for it is given up, in ms. */
const CANARY_GRACE_MS = 20_000;

export async function prepare(recorder: Recorder, environment: Environment): Promise<void> {
  const { spec, subject } = recorder;
  const { destination, heldAttempt, policy, key, point } = spec.factors;
  const holds = point === "before-commit" || point === "after-commit" ? [{ point, occurrence: 1 }] : [];
  await recorder.tell("configure the ledger", () =>
    recorder.ledger.configure({ destination, holds, heldAttempt, policy, key, intended: spec.intended }),
  );
  await recorder.record("trial-started", { source: "controller", type: "trial.started", spec, environment });
  await recorder.enter("prepare");
  await recorder.act("marker", async () => {
    const prepared = await subject.prepare({ marker: spec.marker, key });
    return {
      source: "controller",
      type: "marker.written",
      marker: spec.marker,
      activation: prepared.activation,
    };
  });
  // Armed in every trial: a baseline also says what the runtime did with alarms while it ran.
  await recorder.act("canary", async () => {
    const delayMs = spec.bounds.canaryMs;
    return { source: "controller", type: "canary.armed", delayMs, ...(await subject.armCanary({ delayMs })) };
  });
}

export async function submit(recorder: Recorder): Promise<void> {
  await recorder.enter("submit");
  const submitted = await submitOperation(recorder, "first");
  if (submitted.error !== null) throw new TrialEnd("submit-failed", submitted.error);
}

export async function waitForPoint(recorder: Recorder): Promise<void> {
  const { factors, bounds } = recorder.spec;
  await recorder.enter("arrive");
  const reached = await recorder.awaitRecord(
    `point ${factors.point}`,
    ["hold.reached"],
    bounds.arriveMs,
    (record) => record.hold.point === factors.point,
  );
  if (reached === null)
    throw new TrialEnd(
      "point-not-reached",
      `'${factors.point}' was not reached within ${bounds.arriveMs} ms`,
    );
}

/** Reads what the object holds while the point is held. The last touch before the reset. */
export async function look(recorder: Recorder): Promise<void> {
  await recorder.enter("look");
  await recorder.act("look:log", () => snapshotLog(recorder.subject, "look"));
  await recorder.act("look:jobs", () => snapshotJobs(recorder.subject, "look"));
}

export async function reset(recorder: Recorder): Promise<void> {
  const { spec, subject } = recorder;
  const { reset: kind } = spec.factors;
  const ordinal = 1;
  await recorder.enter("reset");
  if (spec.resetDelayMs > 0) await recorder.sleep("before the reset", spec.resetDelayMs);
  await recorder.record("reset-requested:1", {
    source: "controller",
    type: "reset.requested",
    reset: kind,
    ordinal,
    activation: null,
  });
  if (kind === "abort") {
    const done = await recorder.act("reset:1", async (): Promise<RecordDraft> => {
      const outcome = await subject.reset();
      const base = { source: "controller", reset: kind, ordinal, mechanism: "ctx.abort()" } as const;
      return outcome.lost
        ? { ...base, type: "reset.performed", error: outcome.error, process: null }
        : { ...base, type: "reset.refused", error: outcome.error };
    });
    if (done.type === "reset.refused") throw new TrialEnd("reset-not-performed", done.error);
    return;
  }
  // A reset of the whole process is the CLI's to perform and to report.
  const reported = await recorder.awaitRecord(
    `reset ${kind}`,
    ["reset.performed", "reset.refused"],
    spec.bounds.resetMs,
    (record) => record.ordinal === ordinal,
  );
  if (reported === null)
    throw new TrialEnd("reset-not-performed", `nobody performed '${kind}' within ${spec.bounds.resetMs} ms`);
  if (reported.type === "reset.refused") throw new TrialEnd("reset-not-performed", reported.error);
}

export async function quiet(recorder: Recorder): Promise<void> {
  const { quietMs } = recorder.spec.factors;
  await recorder.enter("quiet");
  await recorder.record("quiet-started", { source: "controller", type: "quiet.started", quietMs });
  await recorder.sleep("quiet", quietMs);
  await recorder.record("quiet-ended", { source: "controller", type: "quiet.ended" });
}

export async function reconnect(recorder: Recorder): Promise<void> {
  const { spec } = recorder;
  await recorder.enter("reconnect");
  if (spec.factors.reset !== "none") {
    await recorder.act("reconnected", async () => {
      // The first request after the quiet interval: a wait that asks for nothing and returns at once.
      const error = await recorder.subject.wait(spec.operationId, 1).then(() => null, errorText);
      return {
        source: "controller",
        type: "client.reconnected",
        ok: error === null,
        activation: null,
        error,
      };
    });
  }
  await waitForOperation(recorder, spec.operationId, "operation", 1);
  if (spec.factors.reset !== "none") {
    const again = await submitOperation(recorder, "again");
    // Accepted a second time: the object no longer knows the operation, so this is new work with its own result.
    if (again.accepted === true) await waitForOperation(recorder, spec.operationId, "operation", 2);
  }
  await probe(recorder);
}

export async function settle(recorder: Recorder): Promise<void> {
  const { spec } = recorder;
  await recorder.enter("settle");
  if (spec.factors.settleMs > 0) await recorder.sleep("settle", spec.factors.settleMs);
  await recorder.awaitRecord("canary", ["canary.fired"], spec.bounds.canaryMs + CANARY_GRACE_MS);
}

export async function collect(recorder: Recorder): Promise<void> {
  await recorder.enter("collect");
  await recorder.act("collect:log", () => snapshotLog(recorder.subject, "collect"));
  await recorder.act("collect:transcript", () => snapshotTranscript(recorder.subject, "collect"));
  await recorder.act("collect:schema", () => snapshotSchema(recorder.subject, "collect"));
  await recorder.act("collect:jobs", () => snapshotJobs(recorder.subject, "collect"));
}

async function submitOperation(recorder: Recorder, purpose: "first" | "again") {
  const { spec } = recorder;
  const operation = firstIntended(spec);
  const draft = await recorder.act(`submit:${purpose}`, async () => {
    const base = {
      source: "controller",
      type: "operation.submitted",
      operationId: spec.operationId,
      purpose,
    } as const;
    try {
      const { session, accepted } = await recorder.subject.submit({
        operationId: spec.operationId,
        text: operationPrompt(operation),
      });
      return { ...base, session, accepted, error: null };
    } catch (error) {
      return { ...base, session: "unknown", accepted: null, error: errorText(error) };
    }
  });
  if (draft.type !== "operation.submitted") throw new Error(`unexpected record ${draft.type}`);
  return draft;
}

async function probe(recorder: Recorder): Promise<void> {
  const { probeId } = recorder.spec;
  await recorder.act("probe", async () => {
    const base = { source: "controller", type: "probe.submitted", operationId: probeId } as const;
    try {
      const { session, accepted } = await recorder.subject.submit({
        operationId: probeId,
        text: probePrompt(),
      });
      return { ...base, session, accepted, error: null };
    } catch (error) {
      return { ...base, session: "unknown", accepted: null, error: errorText(error) };
    }
  });
  await waitForOperation(recorder, probeId, "probe", 1);
}

/** Asks the harness until the operation settles or the bound runs out; either way one record says which. */
async function waitForOperation(
  recorder: Recorder,
  operationId: string,
  what: "operation" | "probe",
  round: number,
): Promise<void> {
  const boundMs = recorder.spec.bounds.operationMs;
  const slices = Math.max(1, Math.ceil(boundMs / WAIT_MS_MAX));
  for (let slice = 1; slice <= slices; slice++) {
    const timeoutMs = Math.min(WAIT_MS_MAX, boundMs);
    const name = `${what}-settled:${round}`;
    const observed = await recorder.act(slice === slices ? name : `${name}:slice-${slice}`, async () => {
      const expired = {
        source: "controller",
        type: "wait.expired",
        waitedFor: `${what} ${operationId}`,
        boundMs,
      } as const;
      try {
        const answer = await recorder.subject.wait(operationId, timeoutMs);
        if (!answer.settled) return { ...expired, boundMs: timeoutMs };
        const { session, status, reason, text } = answer.result;
        const settled = { source: "controller", operationId, session, status, reason, text } as const;
        return what === "operation"
          ? { ...settled, type: "operation.settled", claim: parseClaim(text ?? "") }
          : { ...settled, type: "probe.settled" };
      } catch (error) {
        return {
          ...expired,
          waitedFor: `${what} ${operationId}: ${errorText(error)}`.slice(0, 2_000),
          boundMs: timeoutMs,
        };
      }
    });
    if (observed.type !== "wait.expired") return;
  }
}

function firstIntended(spec: TrialSpec) {
  const intended = spec.intended[0];
  if (intended === undefined) throw new Error("a trial intends at least one action");
  return { action: intended.action, key: spec.factors.key === "scenario" ? intended.key : null };
}
