/**
 * The kill switch: ends the Workflow of every trial that was started on a deployment, closes its journal, and has its object
 * and its alarm witness forget everything, alarms included. What had ended already is ended once more.
 */
import { call } from "../../src/link/call.ts";
import { HaltResponse } from "../../src/trace/protocol/controller-protocol.ts";
import type { DeployState } from "./deploy-state.ts";
import { controllerOf } from "./deployed-runtime.ts";

type Stopped = {
  readonly stopped: number;
  readonly failed: readonly { readonly trial: string; readonly error: string }[];
};

/** Each trial is tried, whatever becomes of the others. */
export async function stopTrials(state: DeployState, secret: string): Promise<Stopped> {
  const controller = controllerOf(state, secret);
  const failed: { trial: string; error: string }[] = [];
  let stopped = 0;
  for (const { trial, subject } of state.runs.flatMap(({ trials }) => trials))
    try {
      await call(controller, "POST", `/trials/${trial}/halt`, HaltResponse, { body: { subject } });
      stopped += 1;
    } catch (error) {
      failed.push({ trial, error: error instanceof Error ? error.message : String(error) });
    }
  return { stopped, failed };
}
