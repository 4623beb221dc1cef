/** Where trials are: the Workflow instance's status and the ledger's summary, for many trials in one answer. */
import { type TrialState, TrialState as TrialStateSchema } from "../trace/protocol/controller-protocol.ts";
import { type ControllerEnv, ledgerOf } from "./controller-env.ts";
import { errorText } from "./recorder.ts";

/**
 * Instances that this isolate has already nudged. After the controller's process was restarted, the local Workflows
 * engine loads an instance only when something is sent to it, so the first look at a running instance sends it an
 * event that no step waits for; deployed engines wake by themselves and ignore it.
 */
const nudged = new Set<string>();

/** Notes that this isolate started the instance itself, so that it needs no nudge. */
export function noteStarted(trial: string): void {
  nudged.add(trial);
}

export async function trialState(env: ControllerEnv, trial: string, workflows: boolean): Promise<TrialState> {
  const [instance, ledger] = await Promise.all([
    workflows ? instanceStatus(env, trial) : { status: "unknown" as const, error: null },
    ledgerOf(env, trial)
      .status()
      .catch(() => null),
  ]);
  return {
    trial,
    workflow: instance.status,
    phase: ledger?.phase ?? null,
    records: ledger?.records ?? 0,
    head: ledger?.head ?? null,
    attempts: ledger?.attempts ?? 0,
    effects: ledger?.effects ?? 0,
    awaitingReset: ledger?.awaitingReset ?? null,
    awaitingReading: ledger?.awaitingReading ?? null,
    ended: ledger?.ended ?? null,
    error: instance.error,
  };
}

async function instanceStatus(env: ControllerEnv, trial: string) {
  try {
    const instance = await env.TRIALS.get(trial);
    const { status, error } = await instance.status();
    if (!nudged.has(trial) && (status === "running" || status === "waiting")) {
      nudged.add(trial);
      await instance.sendEvent({ type: "nudge", payload: {} });
    }
    const known = TrialStateSchema.shape.workflow.safeParse(status);
    return { status: known.success ? known.data : ("unknown" as const), error: error?.message ?? null };
  } catch (error) {
    return { status: "unknown" as const, error: errorText(error) };
  }
}
