/**
 * What a run command asks for, as one value: a new run from an experiment and options, or what is left of an
 * interrupted one. Everything that can be refused without starting anything is refused here.
 */

import { dirname, join, resolve } from "node:path";
import { type Condition, conditionsOf } from "../../experiments/conditions.ts";
import type { Experiment } from "../../experiments/experiment-schema.ts";
import { ownAgent } from "../../experiments/own-agent.ts";
import { declaredConditions, loadExperiment, validateExperiment } from "../../experiments/registry.ts";
import { subjectTraits } from "../../src/harnesses/index.ts";
import type { TrialDefinition } from "../../src/own/trial-definition.ts";
import { INVARIANTS, type InvariantName, isInvariant } from "../../src/reconcile/invariants.ts";
import { TrialSpec } from "../../src/trace/spec.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { DEFAULT_PROMPT } from "../local/command/agent-command.ts";
import { askedAgent } from "../local/command/asked-agent.ts";
import { type AgentCommands, commandsWith } from "../local/command/controls.ts";
import {
  isAgentDefinition,
  isDefinition,
  loadFile,
  parseAgentDefinition,
  parseDefinition,
} from "../local/own/load-definition.ts";
import { type OwnConfig, readOwnConfig } from "../local/own/own-config.ts";
import { pinnedServerVersion } from "../local/server/install.ts";
import type { StorageOption } from "../local/storage-choice.ts";
import { chooseHost, type HostChoice, type HostOption } from "../local/workerd/host-choice.ts";
import { coverageLines } from "../present/coverage.ts";
import { withAgentTimes } from "../run/agent-plan.ts";
import { clisOf, describeCheckout } from "../run/environment.ts";
import { makePlan } from "../run/make-plan.ts";
import { ownExperiment, withDefinition } from "../run/own-plan.ts";
import {
  beginResumption,
  CANCELLED_FOLDER,
  DAMAGED_FOLDER,
  readInterruptedRun,
  verifyNoAgent,
  verifySame,
} from "../run/resume.ts";
import type { Resumption, RunPlan } from "../run/run-plan.ts";
import { selectionOf } from "../run/selection.ts";
import { verifyQuiet } from "../run/short-quiet.ts";
import { trialNameOf } from "../stored/trace-names.ts";
import { setCalled } from "./sets.ts";
import type { Terminal } from "./terminal.ts";

export type RunOptions = {
  readonly host: HostOption;
  readonly repeats: number;
  readonly quietMs?: number;
  readonly allowShortQuiet?: true;
  readonly settleMs?: number;
  readonly seed?: number;
  /** Real model; absent for the scripted one. */
  readonly model?: string;
  readonly concurrency: number;
  readonly load: number;
  readonly storage: StorageOption;
  readonly port?: number;
  readonly runId?: string;
  readonly only?: string;
  readonly subject?: readonly string[];
  readonly condition?: readonly string[];
  /** Name of the SDK set that every trial runs under; what is installed where it is absent. */
  readonly set?: string;
  readonly quick?: true;
  readonly resume?: string;
  readonly require?: readonly InvariantName[];
  readonly traces: string;
  readonly dryRun?: true;
  readonly json?: true;
};

export type RunRequest = {
  readonly plan: RunPlan;
  readonly folder: string;
  readonly host: HostChoice;
  readonly storage: StorageOption;
  /** The experiment's conditions; none when it is no longer declared. */
  readonly declared: readonly Condition[];
  /** Trials to run. */
  readonly left: readonly TrialSpec[];
  readonly resume: Resumption | null;
  /** What to tell before it starts. */
  readonly heading: readonly string[];
  /** The user's own Worker that it is about; null where its subjects are the kit's. */
  readonly own: AskedOwn | null;
  /** What the plan's commands are; null where it has none. */
  readonly commands: AgentCommands | null;
};

/** @throws UserError when the options do not fit together. */
export async function newRun(name: string, options: RunOptions, terminal: Terminal): Promise<RunRequest> {
  const { experiment, own, commands, require, planned: asWritten } = await askedFor(name);
  const host = chooseHost(options.host);
  const declared = conditionsOf(experiment);
  const planned = makePlan(experiment, {
    run: options.runId ?? defaultRunId(experiment.name, new Date()),
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    repeats: options.repeats,
    quietMs: options.quietMs ?? null,
    settleMs: options.settleMs ?? null,
    host: host.kind,
    model: options.model ?? null,
    loadPerSecond: options.load,
    only: selectionOf(options, declared),
    commandLine: recordedArguments(terminal.argv),
  });
  const made = requiring(asWritten(planned), options.require ?? require);
  const plan = options.set === undefined ? made : underSet(made, options.set);
  // Trials of one condition differ in what the plan counts and draws.
  for (const [spec] of Map.groupBy(plan.specs, ({ condition }) => condition).values()) TrialSpec.parse(spec);
  if (options.quietMs !== undefined && options.allowShortQuiet !== true)
    verifyQuiet(plan.specs, options.quietMs);
  const folder = join(options.traces, plan.run);
  const heading = [
    `run ${plan.run} · ${plan.specs.length} trials · seed ${plan.seed}`,
    ...(options.set === undefined ? [] : [`SDK set: ${options.set}, in place of what is installed`]),
    ...coverageLines(plan.specs, declared),
  ];
  const { storage } = options;
  return {
    plan,
    folder,
    host,
    storage,
    declared,
    left: plan.specs,
    resume: null,
    heading,
    own,
    commands,
  };
}

/** A plan whose trials carry what is required of them, so that whoever judges them later requires the same. */
function requiring(plan: RunPlan, require: readonly InvariantName[]): RunPlan {
  if (require.length === 0) return plan;
  return { ...plan, specs: plan.specs.map((spec) => ({ ...spec, require: [...require] })) };
}

/** A user's own Worker, as her files say. */
export type AskedOwn = {
  readonly path: string;
  readonly definition: TrialDefinition;
  readonly config: OwnConfig;
};

/** Whether a text names a file, and none of the declared experiments. */
export function isPath(name: string): boolean {
  return name.includes("/") || /\.[mc]?[jt]s$/.test(name);
}

type Asked = Pick<RunRequest, "own" | "commands"> & {
  readonly experiment: Experiment;
  /** What the user's file requires of every condition. */
  readonly require: readonly InvariantName[];
  /** The plan, with what the user's file says of its trials. */
  readonly planned: (plan: RunPlan) => RunPlan;
};

const OF_THE_KIT = { own: null, commands: null, require: [], planned: (plan: RunPlan) => plan } as const;

/** @throws UserError or InvalidExperimentError where that cannot be run. */
async function askedFor(name: string): Promise<Asked> {
  if (!isPath(name)) return { ...OF_THE_KIT, experiment: loadExperiment(name) };
  const value = await loadFile(name);
  const path = resolve(name);
  const shown = shownPath(path);
  if (isAgentDefinition(value)) {
    const definition = parseAgentDefinition(value, name);
    const { subject, prompt = DEFAULT_PROMPT } = definition;
    const agent = askedAgent({ state: undefined, ...subject, prompt }, dirname(path), namesIn(shown));
    return {
      ...OF_THE_KIT,
      experiment: ownAgent(definition),
      commands: commandsWith(agent),
      require: requiredBy(definition, shown),
      planned: (plan) => withAgentTimes(plan, subject.timeoutMs),
    };
  }
  if (!isDefinition(value)) return { ...OF_THE_KIT, experiment: validateExperiment(value, shown) };
  const definition = parseDefinition(value, name);
  const { wrangler, object } = definition;
  const config = readOwnConfig(join(dirname(path), wrangler), object.binding);
  return {
    experiment: ownExperiment(definition, shown),
    own: { path, definition, config },
    commands: null,
    require: requiredBy(definition, shown),
    planned: (plan) => withDefinition(plan, definition),
  };
}

function namesIn(shown: string) {
  const part = (name: string) => `${shown}: ${name}`;
  return { command: part("subject.command"), state: part("subject.state"), prompt: part("prompt") };
}

/** @throws UserError where there is no such invariant. */
function requiredBy({ require }: { readonly require: readonly string[] }, shown: string): InvariantName[] {
  const unknown = require.find((one) => !isInvariant(one));
  if (unknown !== undefined)
    throw new UserError(
      `${shown}: require: there is no invariant '${unknown}'; there are: ${Object.keys(INVARIANTS).join(", ")}`,
    );
  return require.filter(isInvariant);
}

/** @throws UserError when there is no such set. */
function underSet(plan: RunPlan, set: string): RunPlan {
  const { name } = setCalled(set, "--set");
  const sets = { before: name, after: name };
  return { ...plan, specs: plan.specs.map((spec) => ({ ...spec, sets })) };
}

/** @throws UserError when the folder's run cannot be finished here: it was started on something else than what is here now. */
export async function restOfRun(
  folder: string,
  experiment: string | undefined,
  terminal: Terminal,
): Promise<RunRequest> {
  const interrupted = await readInterruptedRun(folder);
  const { plan, kept, left, cancelled, damaged } = interrupted;
  if (experiment !== undefined && experiment !== plan.experiment)
    throw new UserError(
      `--resume: run ${plan.run} is of experiment '${plan.experiment}', not '${experiment}'`,
    );
  verifyNoAgent("--resume", plan);
  if (plan.environment.own !== undefined)
    throw new UserError(`--resume: run ${plan.run} is of a Worker of your own; begin it anew`);
  const host = chooseHost(plan.host);
  // Bundles are compared when they are made; what differs already needs no bundling to be refused.
  verifySame(
    interrupted,
    await describeCheckout(
      host,
      plan.specs.some(
        ({ factors, sets }) => sets === undefined && subjectTraits(factors.subject).runs === "process",
      )
        ? await pinnedServerVersion()
        : null,
      clisOf(plan.specs),
    ),
  );
  const commandLine = recordedArguments(terminal.argv);
  const aside = [
    ...(cancelled.length === 0
      ? []
      : [`traces of cancelled trials are kept in ${shownPath(join(folder, CANCELLED_FOLDER))}`]),
    ...(damaged.length === 0
      ? []
      : [
          `run again because the trace is not whole: ${damaged.map(({ path }) => trialNameOf(path)).join(", ")} · what is there is kept in ${shownPath(join(folder, DAMAGED_FOLDER))}`,
        ]),
  ];
  const heading = [
    `run ${plan.run} resumed · ${kept.size} of ${plan.specs.length} trials are there, ${left.length} to run · seed ${plan.seed}`,
    ...aside,
  ];
  const begin: Resumption["begin"] = (environment) => beginResumption(interrupted, environment, commandLine);
  const resume = { keep: kept, commandLine, begin };
  const declared = declaredConditions(plan.experiment);
  // As it was, like everything that the run was started on.
  const storage = plan.environment.storage ?? "auto";
  return {
    plan,
    folder,
    host,
    storage,
    declared,
    left,
    resume,
    heading,
    own: null,
    commands: null,
  };
}

/** Where the traces were put says nothing about the run and may name a folder of somebody's machine. */
export function recordedArguments(argv: readonly string[]): string[] {
  const kept = argv.filter((text, index) => !text.startsWith("--traces") && argv[index - 1] !== "--traces");
  return ["recovery-kit", ...kept];
}

/** For example `recovery-20261118-142530`, in UTC. */
export function defaultRunId(experiment: string, now: Date): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  return `${experiment}-${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}`;
}
