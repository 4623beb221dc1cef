/**
 * How many trials may be started now. A machine that is flooded reaches points late, and then measures its own load: so the
 * next trials start when those under way have come far enough, and start the more slowly the busier the machine is.
 *
 * Pure: whoever runs trials says where they are. Leaves to others: how many may be open at all, and which are next
 * (schedule.ts).
 */
import type { TrialState } from "../../src/trace/protocol/controller-protocol.ts";

/** Trials under way for each core: enough to keep it busy while some wait for each other. */
const UNDER_WAY_PER_CORE = 4;
/**
 * How long a journal may stand still before its trial counts as one that waits, in ms. On the way to its point a trial waits
 * for the machine; afterwards it may also wait for something that never comes.
 */
const STILL_BEFORE_POINT_MS = 10_000;
const STILL_AFTER_QUIET_MS = 2_000;
/** How many others a trial counts for that has processes of its own started, for each turn anew. */
const OWN_PROCESSES_WEIGHT = 3;

/** A started trial, as far as its journal was read. */
export type Underway = {
  readonly phase: TrialState["phase"];
  /** When its journal was last seen to have grown, or when it was started: in ms of the caller's clock. */
  readonly grewAt: number;
  /** Whether its work is done in processes of its own, whose start a busy machine takes long for. */
  readonly hasProcesses: boolean;
};

export class Admission {
  readonly #most: number;

  /** `cores`: what the machine has for everything that takes part. */
  constructor(cores: number) {
    this.#most = Math.max(1, cores) * UNDER_WAY_PER_CORE;
  }

  /** How much weight of waiting trials may be started now, given those that are open. */
  room(open: readonly Underway[], now: number): number {
    const busy = open.filter((trial) => isBusy(trial, now));
    return Math.max(0, this.#most - weightOf(busy));
  }
}

/** What trials ask of the machine together, as a number of plain ones. */
export function weightOf(trials: readonly Pick<Underway, "hasProcesses">[]): number {
  return trials.reduce((sum, { hasProcesses }) => sum + (hasProcesses ? OWN_PROCESSES_WEIGHT : 1), 0);
}

/** How many of the next trials there is room for, in order. A heavy one starts where there is any, or it never would. */
export function fitting(next: readonly Pick<Underway, "hasProcesses">[], room: number): number {
  const fits = next.findIndex((_, index) => index > 0 && weightOf(next.slice(0, index + 1)) > room);
  if (room <= 0) return 0;
  return fits === -1 ? next.length : fits;
}

function isBusy({ phase, grewAt, hasProcesses }: Underway, now: number): boolean {
  const stillMs = now - grewAt;
  switch (phase) {
    case null:
    case "prepare":
    case "submit":
    case "arrive":
    case "look":
      return stillMs < STILL_BEFORE_POINT_MS;
    // It waits: for its reset and for those that share it, for its heartbeat, for late effects.
    case "reset":
    case "quiet":
    case "settle":
      return false;
    case "reconnect":
    case "probe":
    case "collect":
      return stillMs < (hasProcesses ? STILL_BEFORE_POINT_MS : STILL_AFTER_QUIET_MS);
  }
}
