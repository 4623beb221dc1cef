/**
 * The law that always holds, over random trials: acknowledged ≤ committed ≤ received. Read from the journal alone;
 * what callers and status say must agree with it.
 */
import { type ClientRequest, request as httpRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESTINATIONS } from "../../src/trace/destinations.ts";
import {
  Destination,
  Hold,
  type JournalRecord,
  ofType,
  parseTrace,
  type RecordType,
} from "../../src/trace/index.ts";
import { AttemptResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import { type Answer, attemptBody, modelCallBody, refusal, sha256, Trial } from "./support/ledger-client.ts";
import { type Lab, SECRET, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const hold = fc
  .record({
    point: fc.constantFrom("before-commit", "after-commit", "model-request", "after-receipt"),
    occurrence: fc.integer({ min: 1, max: 4 }),
  })
  .map((value) => Hold.parse(value));

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("attempt" as const),
      action: fc.constantFrom("ticket", "email"),
      key: fc.constantFrom(null, "k1", "k2"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("release" as const),
      hold,
      how: fc.constantFrom("proceed" as const, "drop" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("model" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const), which: fc.nat({ max: 5 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const plan = fc.record({
  destination: fc.constantFrom(...Destination.options),
  holds: fc.uniqueArray(hold, {
    minLength: 2,
    maxLength: 12,
    selector: ({ point, occurrence }) => `${point}/${occurrence}`,
  }),
  steps: fc.array(step, { minLength: 6, maxLength: 18 }),
});

/** What the caller of each attempt was told; null when its connection was reset. */
type Told = Promise<Answer | null>;

let trials = 0;

it("holds for random attempts, holds, releases and disconnects", { timeout: 120_000 }, async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plan, async ({ destination, holds, steps }) => {
      trials += 1;
      const trial = await new Trial(lab, `law-${trials}`).start({ destination, holds });
      const told = await play(trial, steps);
      const status = await trial.end();
      const { records, problems } = parseTrace(await trial.trace(), sha256);
      expect(problems).toEqual([]);
      verifyLaw(records);
      verifyAttempts(records, destination);
      await verifyTold(records, told);
      expect(status).toMatchObject({
        attempts: ofType(records, "attempt.received").length,
        effects: ofType(records, "effect.committed").length,
        openAttempts: ofType(records, "trial.ended")[0]!.openAttempts,
        heldNow: [],
      });
      for (const record of records) seen.add(record.type);
    }),
    { numRuns: 60, seed: 20_261_101 },
  );
  // The plans reached what they are about.
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "effect.deduplicated",
      "attempt.rejected",
      "receipt.withheld",
      "receipt.released",
      "receipt.sent",
      "receipt.undeliverable",
    ]),
  );
});

/** Plays the steps one after the other; held attempts stay open behind it. */
async function play(trial: Trial, steps: Step[]): Promise<Told[]> {
  const sent: { request: ClientRequest; told: Told }[] = [];
  // Each next one after those that were seen: to count from the beginning takes most of the test's requests.
  const seen = new Map<RecordType, number>();
  const untilNext = async (type: RecordType) => {
    const { record } = await trial.await([type], seen.get(type));
    if (record === null) throw new Error(`no ${type} in time`);
    seen.set(type, record.seq);
  };
  for (const now of steps) {
    if (now.do === "attempt") {
      sent.push(sendAttempt(trial, { action: now.action, key: now.key, call: `c${sent.length + 1}` }));
      await untilNext("attempt.received");
    } else if (now.do === "release") {
      // Many of these are refused: the hold does not exist or was released before.
      await trial.send("POST", "releases", { hold: now.hold, how: now.how });
    } else if (now.do === "model") {
      trial.send("POST", "model-calls", modelCallBody()).catch(() => {});
      await untilNext("model.requested");
    } else {
      sent[now.which]?.request.socket?.resetAndDestroy();
    }
  }
  return sent.map(({ told }) => told);
}

function sendAttempt(trial: Trial, changes: Record<string, unknown>): { request: ClientRequest; told: Told } {
  const request = httpRequest(trial.address("attempts"), {
    method: "POST",
    agent: false,
    headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json" },
  });
  const told: Told = new Promise((resolve) => {
    request.on("error", () => resolve(null));
    request.on("response", async (response) => {
      try {
        const body: unknown = JSON.parse((await response.toArray()).join(""));
        resolve({ status: response.statusCode ?? 0, body });
      } catch {
        resolve(null);
      }
    });
  });
  request.end(JSON.stringify(attemptBody(changes)));
  return { request, told };
}

function verifyLaw(records: readonly JournalRecord[]): void {
  const received = new Set<number>();
  const committed = new Set<string>();
  const acknowledged = new Set<string>();
  for (const record of records) {
    if (record.type === "attempt.received") received.add(record.attempt);
    if (record.type === "effect.committed") committed.add(record.effect);
    if (record.type === "receipt.sent") acknowledged.add(record.effect);
    // At every moment, not only at the end.
    expect(acknowledged.size).toBeLessThanOrEqual(committed.size);
    expect(committed.size).toBeLessThanOrEqual(received.size);
    expect([...acknowledged].filter((effect) => !committed.has(effect))).toEqual([]);
  }
}

/** Of each attempt's records, those of one group, in order. */
const OUTCOMES = ["effect.committed", "effect.deduplicated", "attempt.rejected"];
const RECEIPTS = ["receipt.sent", "receipt.undeliverable"];

function verifyAttempts(records: readonly JournalRecord[], destination: Destination): void {
  const received = ofType(records, "attempt.received");
  expect(received.map((record) => record.attempt)).toEqual(received.map((_, index) => index + 1));
  const open: number[] = [];
  for (const { attempt } of received) {
    const types = records.flatMap((record) =>
      "attempt" in record && record.attempt === attempt && record.type !== "hold.reached"
        ? [record.type]
        : [],
    );
    const outcomes = types.filter((type) => OUTCOMES.includes(type));
    const receipts = types.filter((type) => RECEIPTS.includes(type));
    if (outcomes.length === 0) {
      open.push(attempt);
      expect(types).toEqual(["attempt.received"]);
    } else if (outcomes[0] === "attempt.rejected") {
      expect(types).toEqual(["attempt.received", "attempt.rejected"]);
    } else {
      expect(outcomes).toHaveLength(1);
      expect(receipts).toHaveLength(1);
      const withheld = types.filter((type) => type === "receipt.withheld");
      const released = types.filter((type) => type === "receipt.released");
      expect(types).toEqual(["attempt.received", ...outcomes, ...withheld, ...released, ...receipts]);
    }
  }
  expect(ofType(records, "trial.ended")[0]!.openAttempts).toEqual(open);

  const commits = ofType(records, "effect.committed");
  expect(new Set(commits.map((record) => record.receipt)).size).toBe(commits.length);
  const deduplicated = ofType(records, "effect.deduplicated");
  const { absorbsRepeats, withoutKey } = DESTINATIONS[destination];
  if (!absorbsRepeats) expect(deduplicated).toEqual([]);
  else {
    const scopes = commits
      .filter(({ key }) => key !== null || withoutKey === "by-action")
      .map(({ action, key }) => `${action}/${key ?? action}`);
    expect(new Set(scopes).size).toBe(scopes.length);
  }
  for (const { attempt, effect, receipt } of deduplicated) {
    const original = commits.find((record) => record.effect === effect);
    const { action, key } = received[attempt - 1]!;
    expect(original).toMatchObject({ receipt, action });
    expect(original!.key ?? original!.action).toBe(key ?? action);
    expect(key !== null || withoutKey === "by-action").toBe(true);
  }
}

async function verifyTold(records: readonly JournalRecord[], told: Told[]): Promise<void> {
  for (const [index, answer] of (await Promise.all(told)).entries()) {
    if (answer === null) continue;
    const attempt = index + 1;
    const of = (type: JournalRecord["type"]) =>
      records.find((record) => record.type === type && "attempt" in record && record.attempt === attempt);
    if (answer.status === 200) {
      const { effect, receipt, deduplicated } = AttemptResponse.parse(answer.body);
      expect(of("receipt.sent")).toMatchObject({ effect, receipt });
      expect(of("effect.deduplicated") !== undefined).toBe(deduplicated);
      continue;
    }
    expect(of("receipt.sent")).toBeUndefined();
    const { code } = refusal(answer);
    if (code === "attempt-rejected") expect(of("attempt.rejected")).toBeDefined();
    else if (code === "receipt-undeliverable") expect(of("receipt.undeliverable")).toBeDefined();
    else expect(code).toBe("trial-ended");
  }
}
