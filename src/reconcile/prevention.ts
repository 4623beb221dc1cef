/**
 * What would have kept a repeated attempt from making another effect, as far as the trace shows it: for whoever wrote the tool
 * and its destination. Says nothing of a trial without a second effect. Pure.
 */
import { type JournalRecord, ofType } from "../trace/records.ts";
import type { Verdict } from "./verdict.ts";

export type Prevention = {
  readonly means: "key" | "uniqueness" | "look-up" | "approval";
  readonly sentence: string;
};

/** The first effect beyond the first one, and the attempt that made the one before it. */
function repeated(records: readonly JournalRecord[]) {
  const commits = ofType(records, "effect.committed");
  for (const [index, second] of commits.entries()) {
    const first = commits.slice(0, index).find(({ action }) => action === second.action);
    if (first !== undefined) return { first, second };
  }
  return null;
}

export function preventionOf(records: readonly JournalRecord[], verdict: Verdict): Prevention[] {
  const pair = repeated(records);
  if (pair === null) return [];
  const received = ofType(records, "attempt.received");
  const [first, second] = [pair.first, pair.second].map(({ attempt }) =>
    received.find((one) => one.attempt === attempt),
  );
  if (first === undefined || second === undefined) return [];
  const causes = verdict.repeats.flatMap(({ attempt, cause }) => (attempt === second.attempt ? [cause] : []));
  const found: Prevention[] = [keyOf(first, second)];
  if (first.key !== null && first.key === second.key)
    found.push({
      means: "uniqueness",
      sentence: `uniqueness at the destination: both requests carried the key '${first.key}', so a destination that makes one effect for each key would have absorbed the second`,
    });
  if (pair.first.seq < second.seq)
    found.push({
      means: "look-up",
      sentence:
        "a look-up before the repeat: the first effect was there before the second request came, so whoever had asked the destination would have found it",
    });
  if (causes.includes("model-reissue"))
    found.push({
      means: "approval",
      sentence: "an approval of each call: the model asked again, and a person could have refused it",
    });
  return found;
}

type Attempt = JournalRecord<"attempt.received">;

function keyOf(first: Attempt, second: Attempt): Prevention {
  const same = first.payloadSha256 === second.payloadSha256;
  const payload = same
    ? "one made of the payload would have been the same both times"
    : "the payloads differ, so it has to come from what is asked for, and not from the payload";
  const unique = "at a destination that makes one effect for each key";
  if (first.key === null || second.key === null)
    return { means: "key", sentence: `a key, ${unique}: the requests carried none; ${payload}` };
  if (first.key !== second.key)
    return {
      means: "key",
      sentence: `another key, ${unique}: '${first.key}' became '${second.key}' in the repeat; ${payload}`,
    };
  return {
    means: "key",
    sentence: `the key '${first.key}' stayed the same in the repeat: it is one to go by`,
  };
}
