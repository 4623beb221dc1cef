/**
 * Puts one host through cases, some at a time, and says how each ended. For whoever wants the results as values; the
 * test files run the same cases one by one.
 */
import { within } from "./cases/case.ts";
import { type Case, SUITE } from "./cases/index.ts";
import type { Lab } from "./host-lab.ts";
import { noteFor, type Observation } from "./notes.ts";

export type Entry = { readonly group: string; readonly rule: Case };

export type Result = Entry & {
  readonly outcome: "holds" | "fails" | "not run";
  /** Why it fails, in a sentence. */
  readonly reason: string | null;
};

export type SuiteRun = { readonly results: readonly Result[]; readonly observations: readonly Observation[] };

type SuiteOptions = {
  /** How many cases run at once. Most of their time is waiting. */
  readonly pool: number;
  /** Longest a case may take: a broken host may never get to where a case waits for it. */
  readonly limitMs: number;
  readonly onResult?: (result: Result) => void;
  /** Start nothing more after the first rule that fails; the rest is left as `not run`. */
  readonly stopAtFirst?: boolean;
};

/** Longest a failed case's objects may take to be erased; one that hangs is left behind. */
const RETIRE_MS = 5_000;

export const ENTRIES: readonly Entry[] = Object.entries(SUITE).flatMap(([group, cases]) =>
  cases.map((rule) => ({ group, rule })),
);

/** @returns One result per entry, in the order of the entries. */
export async function runSuite(
  lab: Lab,
  entries: readonly Entry[],
  options: SuiteOptions,
): Promise<SuiteRun> {
  const observations: Observation[] = [];
  const results = new Map<Entry, Result>();
  const queue = [...entries];
  const stopped = () => options.stopAtFirst === true && [...results.values()].some(isFailure);
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined && !stopped(); next = queue.shift()) {
      const result = await runOne(lab, next, options.limitMs, observations);
      results.set(next, result);
      options.onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.pool }, worker));
  return {
    results: entries.map((entry) => results.get(entry) ?? { ...entry, outcome: "not run", reason: null }),
    observations,
  };
}

export function isFailure({ outcome }: Result): boolean {
  return outcome === "fails";
}

async function runOne(lab: Lab, entry: Entry, limitMs: number, observations: Observation[]): Promise<Result> {
  // The real package has no seams.
  if (lab.host === "sdk" && entry.rule.needs === "seams")
    return { ...entry, outcome: "not run", reason: null };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Result>((resolve) => {
    const reason = `did not come to its end within ${limitMs / 1_000} s`;
    timer = setTimeout(() => resolve({ ...entry, outcome: "fails", reason }), limitMs);
  });
  const scope = lab.scope();
  const run = entry.rule
    .run(
      lab,
      noteFor(lab.host, (seen) => observations.push(seen)),
    )
    .then(
      (): Result => ({ ...entry, outcome: "holds", reason: null }),
      (error: unknown): Result => ({ ...entry, outcome: "fails", reason: sentenceOf(error) }),
    );
  const result = await Promise.race([run, limit]).finally(() => clearTimeout(timer));
  if (isFailure(result)) await within(RETIRE_MS, scope.retire()).catch(() => false);
  return result;
}

/** Where an expectation failed and how, without its diff. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const at = /cases\/([\w-]+\.ts:\d+)/.exec(error.stack ?? "")?.[1];
  const message = error.message.split("\n")[0] ?? "";
  return at === undefined ? message : `${message} (${at})`;
}
