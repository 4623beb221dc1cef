/** Resets of one executor, whose object stays: one entry for each reset that `TARGETS` has for it. */
import type { ExecutorReset } from "../../../src/trace/targets.ts";

/** The executor, as the local runtime reaches it. */
type ReachedExecutor = {
  /** Ends it with every process below it. @throws when none runs. */
  end(): Promise<void>;
  /** Has the container refuse to start, from now on and as often as the harness tries. */
  refuseStarts(): void;
};

type ExecutorPerformer = {
  /** What is done, in words. */
  readonly mechanism: string;
  /** @throws when it was refused, with the reason. */
  readonly perform: (executor: ReachedExecutor) => Promise<void>;
};

export const EXECUTOR_RESETS: Readonly<Record<ExecutorReset, ExecutorPerformer>> = {
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
};
