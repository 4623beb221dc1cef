/**
 * What a subject's own documentation promises: the source, its version, one sentence in words of ours, and the answers of a
 * verdict that would show it kept. A block of an experiment names the claims that its conditions put to the test.
 *
 * Leaves to others: holding verdicts against them (documented.ts of the result's text).
 */
import type { KnownSubject } from "../src/harnesses/index.ts";
import type { Expectation } from "../src/reconcile/expectation.ts";
import type { Factors } from "../src/trace/spec.ts";

export type Claim = {
  /** Whose promise it is. */
  readonly subjects: readonly KnownSubject[];
  /** Where it stands, and in which version. */
  readonly source: string;
  readonly version: string;
  readonly says: string;
  /** Levels that a condition must have for the promise to speak of it. */
  readonly when?: Readonly<Partial<Factors>>;
  /** What a verdict answers where it is kept. */
  readonly holds: Expectation;
};

const AGENTS = "agents 0.32.0";
const CONTAINER = "agents/dist/harness/container/index.d.ts";

export const CLAIMS = {
  "opencode-wakes": {
    subjects: ["opencode"],
    source: "agents/dist/harness/opencode/index.d.ts",
    version: AGENTS,
    says: "A job of each session leaves an alarm that brings the object back, and the turn goes on.",
    holds: { autonomous: true, execution: "resumed" },
  },
  "think-tells": {
    subjects: ["think"],
    source: "agents/docs/harnesses/think.md",
    version: AGENTS,
    says: "A call that was cut short is recorded as failed, with words that leave open whether it took effect.",
    holds: { told: "outcome-unknown" },
  },
  "think-reruns": {
    subjects: ["think-rerun"],
    source: "agents/docs/harnesses/think.md",
    version: AGENTS,
    says: "A tool that is declared with recovery 'rerun' runs again instead.",
    holds: { repeat: ["runtime-replay"] },
  },
  "ai-sdk-begins-anew": {
    subjects: ["ai-sdk"],
    source: "agents/dist/harness/ai-sdk/index.d.ts",
    version: AGENTS,
    says: "A run that is cut short starts again from the saved transcript, without its unsaved output.",
    holds: { execution: "resumed", told: "nothing" },
  },
  "server-admits-durably": {
    subjects: ["opencode-server", "opencode-server-shell"],
    source: "/doc of the server",
    version: "opencode 1.18.33",
    says: "A prompt is durably admitted.",
    holds: { session: "restored" },
  },
  "container-reattaches": {
    subjects: ["container", "container-retry"],
    source: CONTAINER,
    version: AGENTS,
    says: "When the object is lost the container keeps running, and the object that comes back reattaches to it.",
    holds: { executor: "same", responseExecutor: "same", newWork: "admitted" },
  },
  "container-lost-is-told": {
    subjects: ["container"],
    source: CONTAINER,
    version: AGENTS,
    says: "An operation that was running in a lost container is settled as container_lost.",
    holds: { execution: "settled-by-policy" },
  },
  "container-lost-runs-again": {
    subjects: ["container-retry"],
    source: CONTAINER,
    version: AGENTS,
    says: "With onContainerLost 'retry' an operation that was running in a lost container runs again from the start.",
    holds: { execution: "resumed" },
  },
  "container-queued-runs": {
    subjects: ["container", "container-retry"],
    source: CONTAINER,
    version: AGENTS,
    says: "An operation that was queued when the container was lost runs in the next one, whatever becomes of the one that was running.",
    holds: { execution: "resumed", effects: 1 },
  },
  "container-resumes": {
    subjects: ["container", "container-retry", "container-idle"],
    source: CONTAINER,
    version: AGENTS,
    says: "The next prompt resumes the session in a new container from everything that the adapter persisted.",
    holds: { newWork: "admitted", conversation: "kept" },
  },
  "container-idle-snapshot": {
    subjects: ["container", "container-idle"],
    source: CONTAINER,
    version: AGENTS,
    says: "Before the harness stops its container it takes a snapshot, and the next container starts from that.",
    when: { workspace: "snapshot" },
    holds: { files: "kept" },
  },
  "container-unavailable-is-told": {
    subjects: ["container", "container-retry"],
    source: CONTAINER,
    version: AGENTS,
    says: "An operation for which no container could be started is settled as container_unavailable.",
    holds: { execution: "settled-by-policy" },
  },
} as const satisfies Record<string, Claim>;

export type ClaimName = keyof typeof CLAIMS;

/** All that is promised for the loss of an executor that works. */
export const EXECUTOR_LOST_CLAIMS = [
  "container-lost-is-told",
  "container-lost-runs-again",
  "container-resumes",
] as const satisfies readonly ClaimName[];
