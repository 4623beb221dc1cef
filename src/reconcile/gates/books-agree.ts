/**
 * Gate: the ledger's and the model's books agree with themselves. Numbers have no holes, everything that refers to an
 * attempt, effect or call refers to one that was recorded before it, and the list of open attempts in the last record
 * is the one that the records give. A breach means that the kit lost or invented a record.
 */

import { DESTINATIONS } from "../../trace/destinations.ts";
import type { JournalRecord, RecordType } from "../../trace/records.ts";
import type { AttemptStory, CaseFile } from "../case-file.ts";
import { type Deciding, type Finding, finding } from "../finding.ts";
import { checkLaw } from "../law.ts";

/** Writes down one breach after the other: what is wrong, and the record that shows it. */
function breaches(code: "ledger-books-broken" | "model-books-broken", reasons: Finding[]) {
  return (what: string, facts: Readonly<Record<string, string | number | null>>, shownBy: Deciding) =>
    void reasons.push(finding("validity", code, { what, ...facts }, shownBy));
}

/** Breaches that make the counts themselves doubtful. */
export function checkLedgerBooks(file: CaseFile): Finding[] {
  const reasons: Finding[] = [];
  const breach = breaches("ledger-books-broken", reasons);

  const numbers = new Set<number>();
  file.attempts.forEach(({ received }, index) => {
    numbers.add(received.attempt);
    if (received.attempt !== index + 1)
      breach("attempt-number", { expected: index + 1, found: received.attempt }, received);
  });
  const effects = new Map<string, { seq: number; receipt: string; key: string | null; action: string }>();
  const stories = new Map(file.attempts.map((story) => [story.received.attempt, story]));

  for (const record of file.records) {
    switch (record.type) {
      case "effect.committed":
      case "effect.deduplicated":
      case "attempt.rejected":
      case "receipt.withheld":
      case "receipt.released":
      case "receipt.sent":
      case "receipt.undeliverable":
      case "hold.reached": {
        if (record.attempt === null) break;
        const at = stories.get(record.attempt)?.received.seq;
        if (at === undefined || at > record.seq)
          breach("attempt-unknown", { attempt: record.attempt, type: record.type }, record);
        break;
      }
      default:
    }
    if (record.type === "effect.committed") {
      const expected = `e${effects.size + 1}`;
      if (effects.has(record.effect) || (/^e\d+$/.test(record.effect) && record.effect !== expected))
        breach("effect-number", { expected, found: record.effect }, record);
      effects.set(record.effect, record);
      const story = stories.get(record.attempt);
      if (story !== undefined && story.received.action !== record.action)
        breach("effect-action", { attempt: record.attempt, effect: record.effect }, record);
    }
    if (
      record.type === "receipt.sent" ||
      record.type === "receipt.withheld" ||
      record.type === "effect.deduplicated"
    ) {
      const effect = effects.get(record.effect);
      if (effect === undefined || ("receipt" in record && record.receipt !== effect.receipt))
        breach("effect-unknown", { effect: record.effect, type: record.type }, record);
    }
    if (record.type === "entry.read")
      for (const id of record.effects)
        if (!effects.has(id)) breach("effect-unknown", { effect: id, type: record.type }, record);
  }

  const fates = fatesByAttempt(file);
  for (const story of file.attempts)
    reasons.push(...checkFate(story, fates.get(story.received.attempt) ?? []));
  reasons.push(...checkDestination(file));

  const open = file.attempts.filter((story) => story.open).map(({ received }) => received.attempt);
  const listed = file.ended?.openAttempts ?? null;
  if (listed !== null && [...listed].sort((a, b) => a - b).join() !== open.join())
    breach("open-attempts", { listed: listed.join(), found: open.join() }, file.ended);
  const law = checkLaw(file);
  if (!law.holds)
    reasons.push(
      finding("validity", "law-breached", {
        acknowledged: law.acknowledged,
        committed: law.committed,
        received: law.received,
      }),
    );
  return reasons;
}

/** Every record of what became of an attempt or its receipt, by the attempt's number. */
function fatesByAttempt(file: CaseFile): ReadonlyMap<number, JournalRecord[]> {
  const byAttempt = new Map<number, JournalRecord[]>();
  for (const record of file.records) {
    if (!("attempt" in record) || record.attempt === null) continue;
    const own = byAttempt.get(record.attempt);
    if (own === undefined) byAttempt.set(record.attempt, [record]);
    else own.push(record);
  }
  return byAttempt;
}

/** An attempt has one fate, and one that came to an effect has a record of what became of the receipt. */
function checkFate(story: AttemptStory, records: readonly JournalRecord[]): Finding[] {
  const { attempt } = story.received;
  const fates = records.filter(
    ({ type }) =>
      type === "effect.committed" || type === "effect.deduplicated" || type === "attempt.rejected",
  );
  const facts = { what: "attempt-fate", attempt, fates: fates.length };
  if (fates.length > 1) return [finding("validity", "ledger-books-broken", facts, story.received, fates)];
  const has = (...types: RecordType[]) => records.some(({ type }) => types.includes(type));
  const toEffect = story.committed ?? story.deduplicated;
  const agrees =
    toEffect === null
      ? !has("receipt.sent", "receipt.withheld")
      : has("receipt.sent", "receipt.withheld", "receipt.undeliverable");
  if (agrees) return [];
  return [
    finding("validity", "ledger-books-broken", { what: "receipt-fate", attempt }, story.received, toEffect),
  ];
}

/** A destination that absorbs repeats commits one effect per key; another never deduplicates. */
function checkDestination(file: CaseFile): Finding[] {
  const reasons: Finding[] = [];
  const { destination } = file.spec.factors;
  const { absorbsRepeats, withoutKey } = DESTINATIONS[destination];
  const byKey = new Map<string, AttemptStory>();
  for (const story of file.attempts) {
    if (story.deduplicated !== null && !absorbsRepeats)
      reasons.push(
        finding(
          "validity",
          "ledger-books-broken",
          { what: `${destination}-deduplicated` },
          story.deduplicated,
        ),
      );
    if (!absorbsRepeats || story.committed === null) continue;
    const { action, key: given } = story.committed;
    if (given === null && withoutKey === "apart") continue;
    // An attempt without a key has its action as key.
    const key = JSON.stringify([action, given ?? action]);
    const first = byKey.get(key);
    if (first !== undefined)
      reasons.push(
        finding(
          "validity",
          "ledger-books-broken",
          { what: `${destination}-repeated`, key: given },
          first.committed,
          story.committed,
        ),
      );
    byKey.set(key, story);
  }
  return reasons;
}

/** Model calls without holes: causes of repeats rest on them. */
export function checkModelBooks(file: CaseFile): Finding[] {
  const reasons: Finding[] = [];
  const breach = breaches("model-books-broken", reasons);
  const requests = file.of("model.requested");
  const ordinals = new Map<string, number>();
  requests.forEach((record, index) => {
    const ordinal = (ordinals.get(record.purpose) ?? 0) + 1;
    ordinals.set(record.purpose, ordinal);
    if (record.call !== index + 1) breach("call-number", { expected: index + 1, found: record.call }, record);
    else if (record.ordinal !== ordinal)
      breach("ordinal", { expected: ordinal, found: record.ordinal }, record);
  });
  const byCall = new Map(requests.map((request) => [request.call, request]));
  const answered = new Set<number>();
  const asked = new Set<string>();
  for (const record of file.of("model.answered")) {
    const request = byCall.get(record.call);
    if (request === undefined || request.seq > record.seq || answered.has(record.call))
      breach("answer-without-request", { call: record.call }, record);
    answered.add(record.call);
    for (const { call } of record.toolCalls) asked.add(call);
  }
  // A call that was cut off while it streamed has an error result and no answer; one that succeeded was asked for.
  for (const record of requests)
    for (const { call, outcome } of record.results)
      if (outcome === "ok" && !asked.has(call)) breach("result-without-answer", { tool: call }, record);
  return reasons;
}
