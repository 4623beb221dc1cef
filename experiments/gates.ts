/**
 * Trials that trip the validity gates on purpose. Each is expected to be invalid for its own reason; one that passes
 * would mean that a gate is blind.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

export const gates = {
  name: "gates",
  title: "Validity gates, each tripped on purpose",
  description:
    "A silent alarm witness, a recorder that loses events, a deploy that resets nothing, a refused eviction and a point " +
    "that is never reached.",
  defaults: { ...USUAL_TRIAL, quietMs: 35_000, settleMs: 1_000 },
  blocks: [
    {
      name: "silent-canary",
      levels: {},
      sabotage: "canary-silent",
      expect: [{ when: {}, verdict: { validity: "invalid", reasons: ["canary-silent"] } }],
    },
    {
      name: "recorder-gap",
      levels: {},
      sabotage: "recorder-gap",
      expect: [{ when: {}, verdict: { validity: "invalid", reasons: ["recorder-gap"] } }],
    },
    {
      name: "recorder-gap-repaired",
      levels: {},
      sabotage: "recorder-gap-repaired",
      expect: [
        {
          when: {},
          verdict: { session: "restored", execution: "resumed", effects: 2, flags: ["duplicate"] },
        },
      ],
    },
    {
      name: "deploy-without-effect",
      levels: { reset: "redeploy-deferred" },
      expect: [{ when: {}, verdict: { validity: "invalid", reasons: ["reset-not-delivered"] } }],
    },
    {
      name: "refused-eviction",
      levels: { reset: "evict" },
      expect: [{ when: {}, verdict: { validity: "invalid", reasons: ["reset-refused"] } }],
    },
    {
      // The model gives up after the first loss, so the second acknowledgement gap never comes.
      name: "point-never-reached",
      levels: { resets: 2, policy: "give-up", reconnect: "at-once", quietMs: 1_000 },
      expect: [{ when: {}, verdict: { validity: "invalid", reasons: ["point-not-reached"] } }],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
