/**
 * Whether the contract suite notices: each mutation breaks one rule of the host, and at least one named rule must
 * then fail. The sound host goes through the same pool first, so that a failure is the mutation's doing.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { MUTATIONS, type Mutation } from "../../src/host/stand-in/mutations.ts";
import { type Case, GROUPS } from "./cases/index.ts";
import { Lab } from "./lab.ts";

/** Longest a case may take here. The slowest sound case takes about a second on two idle cores; the rest is for busy ones. */
const CASE_LIMIT_MS = 15_000;
const POOL = 4;

/** The rule that each mutation was made to break; others may notice too. */
const OWN_RULE: Record<Mutation, string> = {
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

const CASES: readonly Case[] = Object.values(GROUPS).flat();

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.start("stand-in");
});
afterAll(() => lab.stop());

test("the sound host passes every case in the same pool", async () => {
  expect(await failing(lab)).toEqual([]);
});

for (const mutation of Object.keys(MUTATIONS) as Mutation[]) {
  test(`${mutation}: ${MUTATIONS[mutation]}`, async () => {
    const caught = await failing(lab.broken(mutation));
    for (const rule of caught) console.log(`${mutation} → caught by rule: ${rule}`);
    expect(caught).toContain(OWN_RULE[mutation]);
  });
}

/** The names of the cases that fail, in the suite's order. */
async function failing(subject: Lab): Promise<string[]> {
  const failed = new Set<string>();
  const queue = [...CASES];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (!(await passes(next, subject))) failed.add(next.name);
    }
  };
  await Promise.all(Array.from({ length: POOL }, worker));
  return CASES.map((entry) => entry.name).filter((name) => failed.has(name));
}

async function passes(entry: Case, subject: Lab): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), CASE_LIMIT_MS);
  });
  const run = entry.run(subject).then(
    () => true,
    (reason: unknown) => {
      if (subject.isSound) console.log(`${entry.name}: ${String(reason)}`);
      return false;
    },
  );
  return Promise.race([run, limit]).finally(() => clearTimeout(timer));
}
