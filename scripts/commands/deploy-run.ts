/** `deploy run`: a run like any other, on a deployment, within what may be spent there. */
import type { Policy } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { UserError } from "../base/user-error.ts";
import { type DeployState, requireReady, withLock, writeState } from "../deploy/deploy-state.ts";
import { DeployedRuntime, notOffered } from "../deploy/deployed-runtime.ts";
import { type Deployment, deploymentOf, type Prefix } from "../deploy/deployment.ts";
import { requireSwitchNotPulled, watchSwitch } from "../deploy/kill-switch.ts";
import { platformOf } from "../deploy/platforms.ts";
import type { StartedTrial } from "../deploy/stop-trials.ts";
import { renderDryRun } from "../present/dry-run.ts";
import { pageFor } from "../present/page.ts";
import { estimateRunMs } from "../run/estimate.ts";
import { RunStop } from "../run/run-plan.ts";
import { carryOut } from "./carry-out.ts";
import { claimNewRun } from "./claim-run.ts";
import { type AskedReporter, replacesText } from "./reporters.ts";
import { newRun, type RunOptions, type RunRequest } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export type DeployRunOptions = Omit<RunOptions, "host" | "load" | "storage" | "port" | "resume"> & {
  readonly prefix: Prefix;
  readonly reporter?: readonly AskedReporter[];
};

const MINUTE_MS = 60_000;

/** Under which conditions are run once that differ in nothing but what the scripted model does. */
const ANY_POLICY: Policy = "reissue";

export async function runDeployed(
  experiment: string,
  asked: DeployRunOptions,
  terminal: Terminal,
): Promise<void> {
  const reporters = asked.reporter ?? [];
  const { concurrency, json = false, require = [] } = asked;
  replacesText(reporters, json);
  const deployment = deploymentOf(asked.prefix);
  const { state, secret } = requireReady(deployment);
  requireSwitchNotPulled(deployment, upAgain(state));
  verifyModel(state, asked.model);
  const options: RunOptions = { ...asked, host: state.host.kind, load: 0, storage: "auto" };
  if (asked.dryRun === true) {
    const request = onlyOffered(await newRun(experiment, options, terminal), asked);
    const { plan, declared, host } = request;
    verifyWithinCaps(request, state, concurrency);
    const text = renderDryRun(plan, { host, declared, concurrency, json, page: pageFor(terminal.stdout) });
    terminal.stdout.write(`${text}\n`);
    return;
  }
  await withLock(deployment, async () => {
    const claimed = await claimNewRun(experiment, options, terminal);
    try {
      const request = onlyOffered(claimed.request, asked);
      verifyWithinCaps(request, state, concurrency);
      await noteRun(deployment, request);
      const startedAt = Date.now();
      const pulled = watchSwitch(deployment);
      const limit = AbortSignal.any([pulled.signal, minutesSpent(state)]);
      limit.addEventListener("abort", () =>
        terminal.stderr.write(`\nThe run ends: ${textOf(limit.reason)}.\n`),
      );
      const platform = platformOf(state.kind, deployment, { ports: state.ports, secret });
      const trials = startedTrials(request);
      const onNote = (text: string) => terminal.stderr.write(`${text}\n`);
      const on = async () =>
        new DeployedRuntime(deployment, platform, { trials, onNote, model: asked.model ?? null });
      try {
        await carryOut(
          request,
          { concurrency, json, port: null, storage: "auto", require, reporters, on, limit },
          terminal,
        );
      } finally {
        pulled.release();
        await noteSpent(deployment, (Date.now() - startedAt) / MINUTE_MS);
      }
    } finally {
      claimed.release();
    }
  });
}

/** Leaves out what deployed Workers cannot do, and says so. @throws UserError when nothing is left, or it was asked for by name. */
function onlyOffered(request: RunRequest, { condition }: Pick<DeployRunOptions, "condition">): RunRequest {
  const { plan, heading } = request;
  const left = plan.specs.filter((spec) => whyNotDeployed(spec) === null);
  const without = plan.specs.filter((spec) => !left.includes(spec));
  if (without.length === 0) return request;
  const resets = [...new Set(without.flatMap((spec) => whyNotDeployed(spec) ?? []))].toSorted();
  const why = `deployed Workers offer no ${resets.join(", ")}`;
  if (condition !== undefined)
    throw new UserError(`--condition: ${why}; such conditions run locally: npm run kit -- run`);
  if (left.every(({ canary }) => canary))
    throw new UserError(
      `no condition is left: ${why}; run them locally, or select reset=abort or reset=redeploy`,
    );
  return {
    ...request,
    plan: { ...plan, specs: left },
    left,
    heading: [...heading, `left out: ${without.length} trials, since ${why}`],
  };
}

/** What the trial needs that only this machine has; null when nothing. */
function whyNotDeployed(spec: TrialSpec): string | null {
  if (spec.container !== undefined) return "supervisor of containers";
  if (spec.factors.model !== undefined && spec.factors.policy !== ANY_POLICY)
    return `policy '${spec.factors.policy}' of a real model`;
  return notOffered(spec) ?? (spec.slot.startsWith("server-") ? "a server process" : null);
}

function minutesLeft({ caps, spent }: DeployState): number {
  return Math.max(0, caps.minutes - spent.minutes);
}

/** @throws UserError before anything is spent. */
function verifyWithinCaps({ left }: RunRequest, state: DeployState, concurrency: number): void {
  const { caps, spent, prefix } = state;
  const trialsLeft = caps.trials - spent.trials;
  const more = `raise it: ${upAgain(state)}`;
  if (left.length > trialsLeft)
    throw new UserError(
      `${left.length} trials are more than the ${trialsLeft} that deployment '${prefix}' has left of ${caps.trials}; ` +
        `select fewer (--only, --quick), or ${more} --max-trials <n>`,
    );
  // One slot after the other.
  const estimateMs = [...Map.groupBy(left, ({ slot }) => slot).values()]
    .map((specs) => estimateRunMs(specs, concurrency))
    .reduce((sum, one) => sum + one, 0);
  const minutes = Math.ceil(estimateMs / MINUTE_MS);
  if (minutes > minutesLeft(state))
    throw new UserError(
      `the run takes about ${minutes} minutes, more than the ${minutesLeft(state).toFixed(1)} that deployment '${prefix}' ` +
        `has left of ${caps.minutes}; select fewer, or ${more} --max-minutes <n>`,
    );
}

/** A signal that is aborted when what is left of the deployment's minutes is over. */
function minutesSpent(state: DeployState): AbortSignal {
  const spent = new AbortController();
  const { minutes } = state.caps;
  const why =
    `the ${minutes} ${minutes === 1 ? "minute" : "minutes"} of deployment '${state.prefix}' are spent; ` +
    `its trials were stopped; for more: ${upAgain(state)} --max-minutes <n>`;
  setTimeout(() => spent.abort(new RunStop(why)), minutesLeft(state) * MINUTE_MS).unref();
  return spent.signal;
}

function upAgain({ kind, prefix }: DeployState): string {
  return `npm run deploy -- up${kind === "rehearsal" ? " --rehearse" : ""} --prefix ${prefix}`;
}

function textOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

function startedTrials({ left }: Pick<RunRequest, "left">): StartedTrial[] {
  return left.map(({ trial, factors }) => ({ trial, subject: factors.subject }));
}

/** Before the first trial: what may have been started can be stopped, and counts as spent. */
async function noteRun(deployment: Deployment, request: RunRequest): Promise<void> {
  const { state } = requireReady(deployment);
  const { plan } = request;
  const trials = startedTrials(request);
  await writeState(deployment, {
    ...state,
    runs: [...state.runs, { run: plan.run, trials }],
    spent: { ...state.spent, trials: state.spent.trials + trials.length },
  });
}

async function noteSpent(deployment: Deployment, minutes: number): Promise<void> {
  const { state } = requireReady(deployment);
  const spent = { ...state.spent, minutes: state.spent.minutes + minutes };
  await writeState(deployment, { ...state, spent });
}

/** @throws UserError where no real model can be reached. */
function verifyModel(state: DeployState, model: string | undefined): void {
  if (model === undefined || state.hasModels) return;
  throw new UserError(
    state.kind === "rehearsal"
      ? `--model ${model}: a rehearsal reaches no real model; leave it out to use the scripted one`
      : `--model ${model}: deployment '${state.prefix}' has no AI binding; bring it up with one: ${upAgain(state)} --ai-binding`,
  );
}
