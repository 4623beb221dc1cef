/**
 * The trial Workflow: one instance per trial, the phases of a trial in order. It sequences and records; it judges
 * nothing. What each phase does is in `phases.ts`, how a wait is bounded in `recorder.ts`.
 *
 * The engine runs a step again after the controller was lost in it: `recorder.ts` says what that changes.
 */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { PeerError } from "../link/call.ts";
import { CreateTrialRequest } from "../trace/protocol/controller-protocol.ts";
import type { ControllerEnv } from "./controller-env.ts";
import { submitAndLose } from "./numbered-writes.ts";
import {
  arriveAndReset,
  beginQuiet,
  beginSettling,
  collect,
  prepare,
  quiet,
  reconnect,
  submit,
  witnessFired,
} from "./phases.ts";
import { Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";

export class TrialWorkflow extends WorkflowEntrypoint<ControllerEnv, CreateTrialRequest> {
  override async run(
    event: Readonly<WorkflowEvent<CreateTrialRequest>>,
    step: WorkflowStep,
  ): Promise<string> {
    const { spec, environment } = CreateTrialRequest.parse(event.payload);
    const recorder = new Recorder(this.env, step, spec);
    try {
      await runPhases(recorder, environment);
      return "completed";
    } catch (error) {
      const end = error instanceof TrialEnd ? error : new TrialEnd("error", textOf(error));
      await recorder.step("end", () => endTrial(recorder, end));
      return end.reason;
    }
  }
}

/** One step for each moment of the trial, and rests where nothing is done (docs/trial.md, "Steps"). @throws TrialEnd */
async function runPhases(recorder: Recorder, environment: CreateTrialRequest["environment"]): Promise<void> {
  const lostAtWrite = recorder.spec.factors.point === "write";
  const lost = await recorder.step("begin", async () => {
    await prepare(recorder, environment);
    if (!lostAtWrite) {
      await submit(recorder);
      return null;
    }
    await submitAndLose(recorder);
    return beginQuiet(recorder);
  });
  const quietSince = lostAtWrite ? lost : await arriveAndReset(recorder);
  if (quietSince !== null) await quiet(recorder, quietSince);
  const wasReached = await recorder.step("reconnect", async () => {
    const reached = await reconnect(recorder);
    await beginSettling(recorder);
    return reached;
  });
  await recorder.rest("settle", recorder.spec.factors.settleMs);
  await recorder.step("collect", async () => {
    await witnessFired(recorder);
    await collect(recorder, wasReached);
    await endTrial(recorder, new TrialEnd("completed", null));
  });
}

/** Closes the journal. A step that runs again after the controller was lost finds it closed by its first run. */
async function endTrial(recorder: Recorder, { reason, detail }: TrialEnd): Promise<void> {
  try {
    await recorder.tell(() => recorder.ledger.end({ source: "controller", reason, detail }));
  } catch (error) {
    if (!(error instanceof PeerError && error.code === "trial-ended")) throw error;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
