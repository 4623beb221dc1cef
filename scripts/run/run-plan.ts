/**
 * The value that the planner hands to the executor: every trial of a run, fully specified. Plain data, so that a dry
 * run prints exactly what a run would do.
 */
import type { SdkSet } from "../../experiments/sdk-sets.ts";
import type { HostKind } from "../../src/trace/levels.ts";
import type { Environment, Storage, TrialSpec } from "../../src/trace/spec.ts";
import type { AgentCommands } from "../local/command/controls.ts";
import type { LocalRuntime } from "../local/local-runtime.ts";
import type { OwnProject } from "../local/own/own-project.ts";
import type { StorageOption } from "../local/storage-choice.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import type { Runtime } from "./runtime.ts";

export type RunPlan = {
  readonly run: string;
  readonly experiment: string;
  readonly seed: number;
  /** The OpenCode host to bundle. */
  readonly host: Exclude<HostKind, "server" | "none">;
  readonly specs: readonly TrialSpec[];
  readonly commandLine: readonly string[];
};

/** Why a run is ended before its time, where it is not the user who ends it: the reason of its abort signal. */
export class RunStop extends Error {
  override readonly name = "RunStop";
}

/** Where a run stands, for whoever shows it. */
export type RunProgress = {
  readonly stage: "bundling" | "starting" | "running" | "exporting" | "stopping";
  readonly total: number;
  /** Trials not started yet. */
  readonly queued: number;
  readonly running: number;
  readonly ended: number;
  /** Running trials by phase name. */
  readonly phases: Readonly<Record<string, number>>;
  /** Estimated ms until the last trial ends; null before there is an estimate. */
  readonly leftMs: number | null;
};

export type ExecuteOptions = {
  /** Folder for this run's traces: `traces/<run-id>`. Created when missing. */
  readonly tracesDir: string;
  /** First local port to use; null for free ports. */
  readonly port: number | null;
  /** Where the processes keep their storage; `auto` where it is absent. */
  readonly storage?: StorageOption;
  /** Most trials at once in one subject process; trials of one process reset are started together. */
  readonly concurrency: number;
  /** Aborted by Ctrl-C: stop, export what was recorded, leave no process behind. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RunProgress) => void;
  /** One line worth reading (a reset performed, a trial that ended early). */
  readonly onNote: (text: string) => void;
  /** Told where the processes keep their storage, once they run; null where they have none on this machine. */
  readonly onStorage?: (storage: Storage | null) => void;
  /** Absent for a new run. */
  readonly resume?: Resumption;
  /** Is given the processes once they run, and carries out the trials by calling `trials`. For whoever measures them. */
  readonly measure?: (runtime: LocalRuntime, trials: () => Promise<RunOutcome>) => Promise<RunOutcome>;
  /** What runs the trials, in place of a local runtime of their own; it is stopped at the end. */
  readonly on?: () => Promise<Runtime>;
  /** The SDK sets that the plan's trials name, where they are none of those that are declared. */
  readonly sets?: readonly SdkSet[];
  /** What the plan's commands are, where it has any. They belong to whoever gave them, and no plan stores them. */
  readonly commands?: AgentCommands;
  /** The user's own Worker that every trial of the plan is of; absent where the subjects are the kit's. */
  readonly own?: OwnProject;
  /** The host to bundle, where it is none of those that the command line offers. */
  readonly host?: HostChoice;
};

/** What makes a run the rest of an interrupted one. */
export type Resumption = {
  /** Trials that already have a trace which stays. They are not run. */
  readonly keep: ReadonlySet<string>;
  /** Of the command that resumes; the plan has that of the first one. */
  readonly commandLine: readonly string[];
  /** Called once all is built and nothing has started. @throws to refuse, e.g. because it was built from other code. */
  readonly begin: (environment: Environment) => Promise<void>;
};

export type RunOutcome = {
  /** Paths of the trace files written, in the plan's order. */
  readonly traces: readonly string[];
  readonly cancelled: boolean;
};
