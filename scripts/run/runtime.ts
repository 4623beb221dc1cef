/**
 * What a run needs of that which its trials run on: the local runtime, or Workers that were deployed. Says nothing about
 * how it came up.
 */
import type { Peer } from "../../src/link/call.ts";
import type { Subject } from "../../src/trace/levels.ts";
import type { Storage, TrialSpec } from "../../src/trace/spec.ts";
import type { ReachedExecutor } from "../local/container/executor-resets.ts";
import type { StoredObject } from "../local/files/offline.ts";
import type { LocalRuntime } from "../local/local-runtime.ts";
import type {
  ProcessResetOrder,
  ProcessResetOutcome,
  ProcessWitness,
} from "../local/process/process-resets.ts";
import type { WorkerRole } from "../local/workerd/bundle.ts";
import type { BundleFacts, Where } from "./environment.ts";

export type Runtime = {
  /** Where the trials run, as a trace names it. */
  readonly where: Where;
  readonly bundles: ReadonlyMap<WorkerRole, BundleFacts>;
  readonly controller: Peer;
  /** Null where nobody can tell. */
  readonly storage: Storage | null;
  /** Null where nobody but the objects themselves can read what they stored. */
  readonly files: StoredFiles | null;
  /** Whether all slots are one and the same process, so that the trials of one slot run after those of another. */
  readonly isShared: boolean;

  /** Whether the slot is a process of its own kind, whose resets wait for no other slot's. */
  isApart(slot: string): boolean;
  /** The process under a slot: null while none runs, undefined where there is nothing that could be told of processes. */
  pidOf(slot: string): number | null | undefined;
  startSlot(slot: string): Promise<number | null>;
  /** @throws when this runtime knows no such slot or reset. */
  resetSlot(slot: string, order: ProcessResetOrder, witness: ProcessWitness): Promise<ProcessResetOutcome>;
  /** Evicts one idle object. @throws with the reason when it is refused. */
  evict(slot: string, subject: Subject, trial: string): Promise<void>;
  /** Sets up what one trial wants otherwise than others, before it begins. */
  trialBegins(spec: TrialSpec): void;
  /** The executor of a trial, for a reset of it. @throws where none can be reached. */
  executorOf(trial: string): ReachedExecutor;
  /** Lets go of what was held for a trial alone, whose trace is stored. */
  trialOver(spec: TrialSpec): Promise<void>;
  /** One request to some object that no trial knows. */
  disturb(number: number): Promise<void>;
  /** Ends what was started for this run. */
  stop(options: {
    /** Some journal could not be exported. */
    readonly keepStorage: boolean;
    /** The run's folder. */
    readonly keepLogIn?: string;
    /** The run ended before its trials did: what is left of them is not to go on. */
    readonly isAbandoned?: boolean;
  }): Promise<void>;
  /** Where what could not be exported lies after `stop` kept it, in words. */
  readonly storageFolder: string;
};

/** Storage that can be read without the object. */
export type StoredFiles = {
  storedObject(slot: string, subject: Subject, objectId: string): StoredObject;
  storedSession(slot: string, trial: string): ReturnType<LocalRuntime["storedSession"]>;
};
