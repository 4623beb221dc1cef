/**
 * Whether the contract suite notices: each mutation breaks one rule of the host, and the suite must fail. The rule
 * that the mutation was made to break goes first, and the suite stops at the first that fails; should that rule
 * notice nothing, all others are tried.
 */
import { MUTATIONS, type Mutation } from "../../../../src/host/stand-in/mutations.ts";
import type { Lab } from "../host-lab.ts";
import { ENTRIES, isFailure, type Result, runSuite } from "../suite.ts";

/** Longest a case may take here. The slowest sound case takes about a second on two idle cores; the rest is for busy ones. */
const LIMIT_MS = 15_000;
const POOL = 4;

export const OWN_RULE: Record<Mutation, string> = {
  reexecuteToolOnBoot: "never executes a call again, and gives the repeated call the model's new id",
  claimNotWritten: "sets the claim in the transaction of execution.started",
  claimNeverReleased: "clears claim and counter in the transaction of the terminal event",
  noBootSweep: "tells the model of the restart in a synthetic message that did not go through the inbox",
  staleToolLeftRunning: "settles interrupted calls as aborted before the next step and never runs them again",
  resultAndCallInOneTransaction: "commits tool.called before it executes the tool",
  counterNeverIncremented: "counts the attempt before it writes the restart notice",
  logSeqGap: "writes the events of a turn in the published order, numbered from 0 without gaps",
  promptNotIdempotent:
    "returns the original admission also after the input was delivered, and answers it once",
  sessionTableLost: "finds session, transcript and log again after a reset",
};

export const ALL_MUTATIONS = Object.keys(MUTATIONS) as Mutation[];

/** What fails on the sound host: nothing, or the suite proves nothing about mutants. */
export async function soundFailures(lab: Lab): Promise<readonly Result[]> {
  const { results } = await runSuite(lab, ENTRIES, { pool: POOL, limitMs: LIMIT_MS });
  return results.filter(isFailure);
}

/** By mutation, the first rule that fails; null where the whole suite holds. */
export async function catchMutants(lab: Lab): Promise<ReadonlyMap<Mutation, Result | null>> {
  const caught = new Map<Mutation, Result | null>();
  const queue = [...ALL_MUTATIONS];
  const worker = async () => {
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const own = OWN_RULE[mutation];
      const entries = ENTRIES.toSorted((a, b) => Number(b.rule.name === own) - Number(a.rule.name === own));
      const { results } = await runSuite(lab.broken(mutation), entries, {
        pool: 1,
        limitMs: LIMIT_MS,
        stopAtFirst: true,
      });
      caught.set(mutation, results.find(isFailure) ?? null);
    }
  };
  await Promise.all(Array.from({ length: POOL }, worker));
  return caught;
}
