/**
 * The end of trials on a deployment: of each, the Workflow is ended and the journal closed, and its object and its alarm witness
 * forget everything, alarms included. What had ended already is ended once more; what nobody began is left as it is.
 */
import { call, type Peer, PeerError } from "../../src/link/call.ts";
import { HaltResponse } from "../../src/trace/protocol/controller-protocol.ts";
import type { RefusalCode } from "../../src/trace/protocol/refusals.ts";
import { eachOf } from "../run/each-of.ts";
import type { DeployState } from "./deploy-state.ts";

/** What the state knows of a trial that was begun. */
export type StartedTrial = DeployState["runs"][number]["trials"][number];

/** What each trial was, by its name. */
export type Stopped = {
  readonly underWay: readonly string[];
  readonly ended: readonly string[];
  readonly notBegun: readonly string[];
  readonly failed: readonly { readonly trial: string; readonly error: string }[];
};

const NOT_BEGUN: RefusalCode = "trial-unknown";

/** Each trial is tried, whatever becomes of the others. */
export async function stopTrials(controller: Peer, trials: readonly StartedTrial[]): Promise<Stopped> {
  const underWay: string[] = [];
  const ended: string[] = [];
  const notBegun: string[] = [];
  const failed: { trial: string; error: string }[] = [];
  await eachOf(trials, async ({ trial, subject }) => {
    try {
      const body = { subject };
      const { journal } = await call(controller, "POST", `/trials/${trial}/halt`, HaltResponse, { body });
      (journal ? underWay : ended).push(trial);
    } catch (error) {
      if (error instanceof PeerError && error.code === NOT_BEGUN) notBegun.push(trial);
      else failed.push({ trial, error: error instanceof Error ? error.message : String(error) });
    }
  });
  return { underWay, ended, notBegun, failed };
}
