/** Resets of one executor, whose object stays, as whoever runs the trials performs them: an entry for each. */
import type { ControllerReset } from "../../../src/trace/resets.ts";
import type { ExecutorReset } from "../../../src/trace/targets.ts";

/** An executor and its container, as the local runtime reaches them. */
export type ReachedExecutor = {
  /** Ends it with every process below it. @throws when none runs. */
  end(): Promise<void>;
  /** Has the container refuse to start, from now on and as often as the harness tries. */
  refuseStarts(): void;
  /** Makes it stand still with every process below it. @throws when none runs. */
  pause(): Promise<void>;
  /** Resolves when the harness has stopped it by itself. @throws when none runs, and when it does not in time. */
  stoppedByHarness(): Promise<void>;
};

type ExecutorPerformer = {
  /** What is done, in words. */
  readonly mechanism: string;
  /** @throws when it was refused, with the reason. */
  readonly perform: (executor: ReachedExecutor) => Promise<void>;
};

export const EXECUTOR_RESETS: Readonly<Record<Exclude<ExecutorReset, ControllerReset>, ExecutorPerformer>> = {
  kill: {
    mechanism: "SIGKILL of the executor with every process below it",
    perform: (executor) => executor.end(),
  },
  unstartable: {
    mechanism: "SIGKILL of the executor with every process below it, and the next starts refused",
    perform: (executor) => {
      executor.refuseStarts();
      return executor.end();
    },
  },
  pause: {
    mechanism: "SIGSTOP of the executor with every process below it",
    perform: (executor) => executor.pause(),
  },
  "idle-stop": {
    mechanism: "waited until the harness stopped its idle executor",
    perform: (executor) => executor.stoppedByHarness(),
  },
};
