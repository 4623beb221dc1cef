/**
 * How long the main experiment takes as a user starts it: a command line of its own, from its start to its end. It is run
 * twice, first for one trial, so that what it needs only the first time is there.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ofType } from "../../../src/trace/records.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { readTrace } from "../../stored/read-trace.ts";
import { tracesIn } from "./corpus.ts";

const EXPERIMENT = "recovery";
const ONE = ["--condition", "opencode/none/none/append/reissue"];

type MatrixRun = {
  readonly trials: number;
  readonly seconds: number;
  /** From the command's start to the first record of any trial, in s. */
  readonly firstTrialSeconds: number;
  readonly exitCode: number | null;
};

/** Leaves the traces in `folder`. @throws when no trace was stored. */
export async function measureMatrix(folder: string): Promise<MatrixRun> {
  await runOnce(folder, "before", ONE);
  return runOnce(folder, "matrix", []);
}

async function runOnce(folder: string, run: string, only: readonly string[]): Promise<MatrixRun> {
  const args = ["run", EXPERIMENT, "--run-id", run, "--traces", folder, ...only];
  const startedAt = Date.now();
  const exitCode = await ended([join(REPOSITORY, "scripts/recovery-kit.mjs"), ...args]);
  const seconds = (Date.now() - startedAt) / 1_000;
  const traces = tracesIn(join(folder, run));
  const begun = traces.flatMap((path) =>
    ofType(readTrace(path).records, "trial.started").map(({ at }) => at),
  );
  if (begun.length === 0) throw new Error(`'${args.join(" ")}' stored no trace and ended with ${exitCode}`);
  return {
    trials: traces.length,
    seconds,
    firstTrialSeconds: (Math.min(...begun) - startedAt) / 1_000,
    exitCode,
  };
}

function ended(args: readonly string[]): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: REPOSITORY, stdio: ["ignore", "ignore", "inherit"] });
    const stop = () => void child.kill();
    process.once("exit", stop);
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("exit", stop);
      resolve(code);
    });
  });
}
