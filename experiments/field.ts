/**
 * Faults that people reported of agents in the field and that the other experiments do not make, most frequent first; docs/field.md names
 * the reports, and the kinds that cannot be made here.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

/** The harnesses that run as an object, each of which keeps a conversation and takes a second prompt. */
const SUBJECTS = ["opencode", "think", "think-rerun", "ai-sdk"] as const;

export const field = {
  name: "field",
  title: "Faults from the field",
  description:
    "What people reported: the client asks for the same thing once more in a new operation, during the recovery or after it; the " +
    "destination's reads lag; an attempt never closes, or closes when everybody has gone on; a host is lost right after it accepted, " +
    "and right after the last answer; it is lost in every recovery.",
  defaults: USUAL_TRIAL,
  blocks: [
    {
      name: "asked-again",
      levels: { subject: SUBJECTS, reprompt: "new-id", destination: ["append", "unique"] },
      expect: [],
    },
    {
      name: "asked-again-during-recovery",
      levels: { subject: SUBJECTS, reprompt: "new-id", reconnect: "at-once" },
      expect: [],
    },
    {
      name: "reads-lag",
      levels: { subject: SUBJECTS, lookUps: "stale", policy: "look-up" },
      expect: [],
    },
    {
      name: "never-closes",
      levels: {
        subject: SUBJECTS,
        point: "before-commit",
        heldAttempt: ["left-open", "committed-late"],
        policy: ["reissue", "give-up"],
      },
      expect: [],
    },
    {
      name: "accepted-and-lost",
      levels: { subject: SUBJECTS, point: "accepted", reset: ["abort", "kill"] },
      expect: [],
    },
    {
      name: "answered-and-lost",
      levels: { subject: SUBJECTS, point: "after-answer", reset: ["abort", "kill"] },
      expect: [],
    },
    {
      name: "lost-in-each-recovery",
      levels: { subject: SUBJECTS, point: "during-recovery", resets: 4 },
      expect: [],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
