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

/** A started trial, as far as its journal was read. */
export type Underway = {
  readonly phase: TrialState["phase"];
  /** When its journal was last seen to have grown, or when it was started: in ms of the caller's clock. */
  readonly grewAt: number;
  /** As how many trials it counts, and how many times the time it is given; 1 for most. */
  readonly weight: number;
};

export class Admission {
  readonly #most: number;

  /** `cores`: what the machine has for everything that takes part. */
  constructor(cores: number) {
    this.#most = Math.max(1, cores) * UNDER_WAY_PER_CORE;
  }

  /** How much weight of waiting trials may be started now, given those that are open. */
  room(open: readonly Underway[], now: number): number {
    return Math.max(
      0,
      this.#most - sum(open.filter((trial) => isBusy(trial, now)).map(({ weight }) => weight)),
    );
  }
}

/** How many of the next trials there is room for, by their weights, in order. A heavy one starts where there is any, or it never would. */
export function fitting(weights: readonly number[], room: number): number {
  if (room <= 0) return 0;
  const beyond = weights.findIndex((_, index) => index > 0 && sum(weights.slice(0, index + 1)) > room);
  return beyond === -1 ? weights.length : beyond;
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0);
}

function isBusy({ phase, grewAt, weight }: Underway, now: number): boolean {
  const stillMs = now - grewAt;
  switch (phase) {
    case null:
    case "prepare":
    case "submit":
    case "arrive":
    case "look":
      return stillMs < STILL_BEFORE_POINT_MS * weight;
    // It waits: for its reset and for those that share it, for its heartbeat, for late effects.
    case "reset":
    case "quiet":
    case "settle":
      return false;
    case "reconnect":
    case "probe":
    case "collect":
      return stillMs < STILL_AFTER_QUIET_MS * weight;
  }
}
