/**
 * What trials cost while they run: time beyond what was meant to be waited for, and the work of every process. Real trials
 * of one condition with `abort`, so that no process ends and takes its figures with it.
 */
import { randomBytes } from "node:crypto";
import { loadavg } from "node:os";
import { conditionsOf } from "../../../experiments/conditions.ts";
import { loadExperiment } from "../../../experiments/registry.ts";
import { call } from "../../../src/link/call.ts";
import type { Distribution } from "../../../src/trace/counts.ts";
import { LabWork } from "../../../src/trace/protocol/controller-protocol.ts";
import { UserError } from "../../base/user-error.ts";
import type { LocalRuntime } from "../../local/local-runtime.ts";
import { chooseHost } from "../../local/workerd/host-choice.ts";
import { executeRun } from "../../run/execute.ts";
import { makePlan } from "../../run/make-plan.ts";
import type { RunOutcome } from "../../run/run-plan.ts";
import { selectionOf } from "../../run/selection.ts";
import { judgeTrace } from "../../stored/judge-trace.ts";
import { readTrace } from "../../stored/read-trace.ts";
import { measureOverhead } from "./overhead.ts";
import { processUse } from "./process-use.ts";

const EXPERIMENT = "recovery";
const CONDITION = "opencode/after-commit/abort/append/reissue";

export type LiveRun = {
  readonly trials: number;
  readonly valid: number;
  /** From the first start to the last stored trace: bundling and the start of the processes are left out. */
  readonly wallSeconds: number;
  /** The same with all of it, from `since` until the processes have ended. */
  readonly wallWithStartSeconds: number;
  /** From `since` to the first record of any trial; null where something had to be bundled, which the next run keeps. */
  readonly firstTrialSeconds: number | null;
  /** The machine's, over the minute before the end. */
  readonly load: number;
  readonly overhead: readonly { readonly of: string; readonly ms: Distribution }[];
  readonly perTrial: { readonly steps: number; readonly requests: number; readonly transactions: number };
  /** Null where the system does not tell. */
  readonly cpuMsPerTrial: CostByProcess | null;
  /** The runner's is that of this process since it started. */
  readonly peakMb: CostByProcess | null;
};

type CostByProcess = { readonly runner: number; readonly lab: number; readonly subjects: number };

type Measured = Pick<LiveRun, "wallSeconds" | "load" | "perTrial" | "cpuMsPerTrial" | "peakMb">;

/** Runs `trials` trials and leaves their traces in `folder`. `since`: when whoever asked for them began, in ms since 1970. */
export async function measureLiveRun(trials: number, folder: string, since: number): Promise<LiveRun> {
  const experiment = loadExperiment(EXPERIMENT);
  const host = chooseHost("stand-in");
  const plan = makePlan(experiment, {
    run: `bench-${randomBytes(3).toString("hex")}`,
    seed: 1,
    repeats: trials,
    quietMs: null,
    settleMs: null,
    host: host.kind,
    only: selectionOf({ condition: [CONDITION] }, conditionsOf(experiment)),
    loadPerSecond: 0,
    commandLine: [],
  });
  let measured: Measured | undefined;
  let bundled = false;
  const { traces } = await executeRun(plan, {
    tracesDir: folder,
    port: null,
    concurrency: trials,
    signal: new AbortController().signal,
    onProgress: ({ stage }) => {
      bundled ||= stage === "bundling";
    },
    onNote: (text) => void process.stderr.write(`${text}\n`),
    host,
    measure: async (runtime, run) => {
      const [outcome, costs] = await measure(runtime, run, trials);
      measured = costs;
      return outcome;
    },
  });
  const wallWithStartSeconds = (Date.now() - since) / 1_000;
  if (measured === undefined) throw new Error("the run was not measured");
  const invalid = traces.filter((path) => judgeTrace(path).verdict.validity.value !== "valid");
  const begun = traces.flatMap((path) => readTrace(path).records[0]?.at ?? []);
  return {
    trials,
    valid: traces.length - invalid.length,
    overhead: measureOverhead(traces),
    wallWithStartSeconds,
    firstTrialSeconds: bundled || begun.length === 0 ? null : (Math.min(...begun) - since) / 1_000,
    ...measured,
  };
}

async function measure(
  runtime: LocalRuntime,
  run: () => Promise<RunOutcome>,
  trials: number,
): Promise<[RunOutcome, Measured]> {
  const [lab, ...subjects] = runtime.pids();
  if (lab === undefined) throw new UserError("the lab's process ended before the trials began");
  const uses = () => [processUse(process.pid), processUse(lab), ...subjects.map(processUse)];
  const started = performance.now();
  const before = uses();
  const outcome = await run();
  const after = uses();
  const spent = after.map((use, index) => {
    const since = before[index];
    return use === null || since == null ? null : { ...use, cpuMs: use.cpuMs - since.cpuMs };
  });
  const { steps, ledger } = await call(runtime.controller, "GET", "/work", LabWork);
  return [
    outcome,
    {
      wallSeconds: (performance.now() - started) / 1_000,
      load: loadavg()[0] ?? Number.NaN,
      perTrial: {
        steps: steps / trials,
        requests: ledger.requests / trials,
        transactions: ledger.transactions / trials,
      },
      cpuMsPerTrial: byProcess(spent.map((use) => (use === null ? null : use.cpuMs / trials))),
      peakMb: byProcess(spent.map((use) => use?.peakMb ?? null)),
    },
  ];
}

/** The runner's, the lab's, and those of all subjects together. */
function byProcess(values: readonly (number | null)[]): CostByProcess | null {
  const known = values.filter((value) => value !== null);
  const [runner, lab, ...subjects] = known;
  if (runner === undefined || lab === undefined || known.length < values.length) return null;
  return { runner, lab, subjects: subjects.reduce((sum, value) => sum + value, 0) };
}
