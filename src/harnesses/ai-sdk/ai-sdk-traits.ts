/**
 * `AiSdkHarness` of `agents` 0.32, which keeps everything in the key–value store. The names of its keys tell which
 * session owes an operation, and neither since when nor how often it was taken up again.
 */
import { clip, type Layout, type Reader } from "../../inspect/index.ts";
import type { ClaimObservation } from "../../trace/index.ts";
import { lifecycleJobs } from "../lifecycle-jobs.ts";
import type { SubjectTraits } from "../subject-traits.ts";

const PREFIX = "ai-sdk-harness:";
/** Unsettled operations: `ai-sdk-harness:p:"main":000000000001`. */
const PENDING = `${PREFIX}p:`;

const aiSdkKeys: Layout = {
  name: "ai-sdk",
  owns: () => false,
  keyPrefix: PREFIX,
  claims: (reader) => {
    const sessions = reader.keys(PENDING).map((key) => sessionOf(key, reader));
    return [...new Set(sessions)].map(
      (session): ClaimObservation => ({ session, claimedAt: null, resumeAttempts: null, held: true }),
    );
  },
};

export const aiSdk = {
  runs: "object",
  host: "none",
  canary: false,
  onDemand: false,
  variantOf: null,
  layouts: [lifecycleJobs, aiSdkKeys],
} as const satisfies SubjectTraits;

function sessionOf(key: string, { complain }: Reader): string {
  const quoted = /^("(?:[^"\\]|\\.)*"):\d+$/.exec(key.slice(PENDING.length))?.[1];
  const session = quoted === undefined ? null : parseText(quoted);
  if (session === null) complain(`the key ${clip(key, 200)} names no session`);
  return session === null ? "(unreadable)" : clip(session, 200);
}

function parseText(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}
