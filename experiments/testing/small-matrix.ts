/**
 * A declared experiment for tests in which the real matrices are not the point: one block of each kind that planning,
 * selecting and showing tell apart. Not registered; it is never run.
 */
import type { WrittenExperiment } from "../shape.ts";
import { USUAL_TRIAL } from "../usual-trial.ts";

export const small = {
  name: "small",
  title: "A small matrix",
  description: "One block of each kind.",
  defaults: USUAL_TRIAL,
  blocks: [
    {
      name: "baseline",
      levels: { point: "none", reset: "none", resets: 0, destination: ["append", "unique"] },
      expect: [{ when: {}, verdict: { attempts: 1, effects: 1, flags: ["ok"] } }],
    },
    {
      name: "gap",
      levels: { reset: ["abort", "kill"], policy: ["reissue", "give-up", "look-up"] },
      expect: [
        { when: { policy: "reissue" }, verdict: { attempts: 2, effects: 2, flags: ["duplicate"] } },
        { when: { policy: "give-up" }, verdict: { attempts: 1, flags: ["unresolved"] } },
      ],
    },
    {
      name: "keys",
      levels: { key: ["call-id", "none"], heldAttempt: "committed-late", point: "before-commit" },
      expect: [],
    },
    {
      name: "again",
      levels: { reset: ["abort", "kill"], resets: 2, reconnect: "at-once" },
      expect: [],
    },
    { name: "single", levels: { point: "after-answer", reset: ["evict", "redeploy"] }, expect: [] },
    { name: "control", levels: { reset: "interrupt-then-kill" }, expect: [] },
    {
      // Differs from a condition of another block in what it breaks alone, which is no factor.
      name: "tripped",
      levels: {},
      sabotage: "recorder-gap",
      expect: [{ when: {}, verdict: { validity: "invalid", reasons: ["recorder-gap"] } }],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
    {
      levels: { subject: "canary-claim", point: "model-request" },
      verdict: { attempts: 0, effects: 0, flags: ["lost"] },
    },
  ],
} as const satisfies WrittenExperiment;
