/**
 * What is claimed, held against what was recorded beside it: keys against payloads, and the recorded outcome against the
 * model's own last answer. Leaves counting effects to the axis.
 */
import { parseClaim } from "../trace/claim-text.ts";
import type { JournalRecord } from "../trace/records.ts";
import type { AttemptStory, CaseFile } from "./case-file.ts";
import { isAnswered } from "./case-file.ts";

/** Two attempts at one action that cannot both be the same intention. */
export type Conflict =
  | {
      readonly kind: "payload";
      readonly key: string;
      readonly earlier: AttemptStory;
      readonly next: AttemptStory;
    }
  | {
      readonly kind: "key";
      readonly key: string;
      readonly effectKey: string;
      readonly earlier: AttemptStory;
      readonly next: AttemptStory;
    };

/**
 * Conflicts among the attempts at one action: the same key with another payload, or a repeat that was answered with the
 * effect of another key. Attempts without a key say nothing of what they mean to repeat.
 */
export function conflictsOf(attempts: readonly AttemptStory[]): Conflict[] {
  if (attempts.length < 2) return [];
  const byKey = new Map<string, AttemptStory>();
  const makers = new Map<string, AttemptStory>();
  const found: Conflict[] = [];
  for (const next of attempts) {
    const { key, payloadSha256 } = next.received;
    if (key !== null) {
      const earlier = byKey.get(key);
      if (earlier === undefined) byKey.set(key, next);
      else if (earlier.received.payloadSha256 !== payloadSha256)
        found.push({ kind: "payload", key, earlier, next });
    }
    if (next.committed !== null) makers.set(next.committed.effect, next);
    const maker = next.deduplicated === null ? undefined : makers.get(next.deduplicated.effect);
    if (maker === undefined) continue;
    const effectKey = maker.received.key;
    if (effectKey !== key)
      found.push({
        kind: "key",
        key: key ?? "none",
        effectKey: effectKey ?? "none",
        earlier: maker,
        next,
      });
    else if (key === null && maker.received.payloadSha256 !== payloadSha256)
      found.push({ kind: "payload", key: "none", earlier: maker, next });
  }
  return found;
}

/** The model's last answer to the operation, where it claims otherwise than the recorded outcome; null where it agrees. */
export function contradictedAnswer(
  file: CaseFile,
): { readonly answer: JournalRecord<"model.answered">; readonly says: string } | null {
  const { settled } = file;
  if (!isAnswered(settled) || settled.status !== "done") return null;
  const { lastAnswer: answer } = file;
  if (answer === null || answer.seq > settled.seq || !answer.text.includes("{")) return null;
  const { claim: says } = parseClaim(answer.text);
  return says === "none" || says === settled.claim.claim ? null : { answer, says };
}
