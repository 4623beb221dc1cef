/**
 * The levels of the factor `target`: what a reset takes, where a subject's work is done apart from its object. Elsewhere object
 * and executor are one, and the factor is left out. A new target is a row here.
 *
 * Leaves to others: performing a reset of either (`object-resets.ts`, `process-resets.ts`, `executor-resets.ts`).
 */
import { z } from "zod";
import { type Reset, takesProcess } from "./resets.ts";

type TargetTraits = {
  readonly losesObject: boolean;
  readonly losesExecutor: boolean;
  /** The resets that can take it; null for every one. */
  readonly resets: readonly Reset[] | null;
  /** Longest quiet interval that shows anything, in ms; null where the object has to look after its work by itself. */
  readonly quietMsMax: number | null;
};

export const TARGETS = {
  object: { losesObject: true, losesExecutor: false, resets: null, quietMsMax: null },
  // A harness sees within seconds that its container is gone: no heartbeat is waited for.
  executor: {
    losesObject: false,
    losesExecutor: true,
    resets: ["kill", "unstartable", "pause", "idle-stop", "stop"],
    quietMsMax: 5_000,
  },
  // An object without an executor is idle, and its runtime evicts it.
  both: { losesObject: true, losesExecutor: true, resets: ["kill", "idle-stop"], quietMsMax: null },
} as const satisfies Record<string, TargetTraits>;

export type Target = keyof typeof TARGETS;
export const Target = z.enum(Object.keys(TARGETS) as Target[]);

/** The resets that end an executor. */
export type ExecutorReset = (typeof TARGETS)["executor" | "both"]["resets"][number];

type ExecutorResetTraits = {
  /** What shows that it took the executor: its end by the trial or by the harness, or that it was made to stand still. */
  readonly takenBy: "reset" | "harness" | "pause";
  /** Whether its container has to have refused a start afterwards. */
  readonly refusesStarts?: true;
};

export const EXECUTOR_RESET_TRAITS: Readonly<Record<ExecutorReset, ExecutorResetTraits>> = {
  kill: { takenBy: "reset" },
  unstartable: { takenBy: "reset", refusesStarts: true },
  pause: { takenBy: "pause" },
  "idle-stop": { takenBy: "harness" },
  stop: { takenBy: "harness" },
};

/** As a trial has it: absent for the object, which is all that there is to lose in most subjects. */
type Targeted = { readonly target?: Target | undefined };

export function targetTraits({ target }: Targeted): TargetTraits {
  return TARGETS[target ?? "object"];
}

export function isExecutorReset(reset: Reset): reset is ExecutorReset {
  return TARGETS.executor.resets.some((one) => one === reset);
}

/** Whether a reset of the trial ends the process of its object, with every other trial in it. */
export function endsProcess(factors: Targeted, reset: Reset): boolean {
  return takesProcess(reset) && targetTraits(factors).losesObject;
}
