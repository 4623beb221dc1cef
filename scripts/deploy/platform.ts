/**
 * What Workers are deployed to: the network, through wrangler's commands, or a rehearsal of it by processes of this
 * machine. Everything else about a deployment is the same for both.
 */
import type { ProcessWitness } from "../local/process/process-resets.ts";
import type { DeployedRole } from "./deployment.ts";

/** A folder with the frozen script and its configuration. */
export type PlacedWorker = {
  readonly role: DeployedRole;
  readonly name: string;
  /** Path of the configuration; `main` lies beside it. */
  readonly config: string;
  readonly build: string;
};

/** When objects that are active take new code: at once, or as they like within so many seconds. */
export type CodeUpdate =
  | { readonly mode: "immediate" }
  | { readonly mode: "deferred"; readonly maxS: number };

export type Put = {
  /** The platform's id of what was put there; null where it tells none. */
  readonly version: string | null;
  /** Where it is reached; null for a Worker without an address. */
  readonly url: string | null;
  /** What ended for it and what took its place, where that is a process of this machine. */
  readonly process: ReplacedProcess | null;
  /** What was done, in words. */
  readonly mechanism: string;
};

export type ReplacedProcess = {
  readonly pid: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly nextPid: number | null;
};

export type Platform = {
  readonly kind: "network" | "rehearsal";
  /** Refuses before anything is made. @throws UserError that says what is missing. */
  verify(): Promise<void>;
  /**
   * Waits for as long as an update is put off, where the platform does not do that by itself. Before anything is written: what lies
   * there is watched, and new code taken at once.
   */
  putOff(update: CodeUpdate, signal?: AbortSignal): Promise<void>;
  /**
   * Puts a Worker there, in place of what is there under its name. Resolves when it answers. The witness is told of
   * processes that end and begin meanwhile, where there are any.
   */
  put(worker: PlacedWorker, update: CodeUpdate, witness?: ProcessWitness): Promise<Put>;
  /** Removes Workers, with all that they stored. Resolves with those that were there. What is not there is no error. */
  remove(roles: readonly DeployedRole[]): Promise<string[]>;
  /** Process ids of what runs here for a Worker; undefined where there is nothing that could be told of processes. */
  pidOf(role: DeployedRole): number | null | undefined;
};
