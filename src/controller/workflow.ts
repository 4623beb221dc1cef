/**
 * The trial Workflow: one instance per trial, the phases of a trial in order. It sequences and records; it judges
 * nothing. What each phase does is in `phases.ts`, how a wait is bounded in `recorder.ts`.
 *
 * The engine may run a step again after the controller was lost, so every append carries an id and is recorded once.
 */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { PeerError } from "../link/call.ts";
import { CreateTrialRequest } from "../trace/protocol/controller-protocol.ts";
import type { ControllerEnv } from "./controller-env.ts";
import { ledgerOf } from "./controller-env.ts";
import { arriveAndReset, collect, prepare, quiet, reconnect, settle, submit } from "./phases.ts";
import { Recorder } from "./recorder.ts";
import { TrialEnd } from "./trial-end.ts";
import { workDone } from "./work-done.ts";

export class TrialWorkflow extends WorkflowEntrypoint<ControllerEnv, CreateTrialRequest> {
  override async run(
    event: Readonly<WorkflowEvent<CreateTrialRequest>>,
    step: WorkflowStep,
  ): Promise<string> {
    const { spec, environment } = CreateTrialRequest.parse(event.payload);
    const recorder = new Recorder(this.env, step, spec);
    const end = await runPhases(recorder, environment);
    await step.do("end", { retries: { limit: 3, delay: 500 } }, async () => {
      workDone.steps += 1;
      try {
        const { reason, detail } = end;
        await ledgerOf(this.env, spec.trial).end({ source: "controller", reason, detail });
      } catch (error) {
        // A step that runs again after the controller was lost finds the journal closed by its first run.
        if (!(error instanceof PeerError && error.code === "trial-ended")) throw error;
      }
      return null;
    });
    return end.reason;
  }
}

async function runPhases(
  recorder: Recorder,
  environment: CreateTrialRequest["environment"],
): Promise<TrialEnd> {
  try {
    await prepare(recorder, environment);
    await submit(recorder);
    await arriveAndReset(recorder);
    await quiet(recorder);
    await reconnect(recorder);
    await settle(recorder);
    await collect(recorder);
    return new TrialEnd("completed", null);
  } catch (error) {
    if (error instanceof TrialEnd) return error;
    return new TrialEnd("error", error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}
