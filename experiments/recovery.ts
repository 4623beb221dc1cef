/** What happens when the host is lost in the acknowledgement gap, by kind of loss, destination and model policy. */
import type { WrittenExperiment } from "./shape.ts";

/** What every recovery on the way of the harness shows: the object came back by itself, with its state. */
const recovered = {
  session: "restored",
  executor: "replacement-with-state",
  stuck: false,
  autonomous: true,
} as const;

export const recovery = {
  name: "recovery",
  title: "Recovery in the acknowledgement gap",
  description:
    "The agent's tool commits an effect and the host is lost before the receipt arrives. Counts what happened, with " +
    "no client request for longer than the harness's 30 s heartbeat.",
  defaults: {
    subject: "opencode",
    point: "after-commit",
    reset: "abort",
    resets: 1,
    destination: "append",
    heldAttempt: "dropped",
    policy: "reissue",
    key: "scenario",
    reconnect: "after-quiet",
    // The harness looks after its work every 30 s; 10 s more leave room for a late alarm.
    quietMs: 40_000,
    settleMs: 2_000,
  },
  blocks: [
    {
      name: "baseline",
      levels: { point: "none", reset: "none", resets: 0, destination: ["append", "unique"] },
      expect: [
        {
          when: {},
          verdict: {
            execution: "not-interrupted",
            executor: "same",
            stuck: false,
            attempts: 1,
            effects: 1,
            flags: ["ok"],
            repeat: [],
          },
        },
      ],
    },
    {
      name: "acknowledgement-gap",
      levels: {
        reset: ["abort", "kill"],
        destination: ["append", "unique"],
        policy: ["reissue", "give-up", "look-up"],
      },
      expect: [
        {
          when: { policy: "reissue", destination: "append" },
          verdict: {
            ...recovered,
            execution: "resumed",
            attempts: 2,
            effects: 2,
            flags: ["duplicate"],
            repeat: ["model-reissue"],
          },
        },
        {
          when: { policy: "reissue", destination: "unique" },
          verdict: {
            ...recovered,
            execution: "resumed",
            attempts: 2,
            effects: 1,
            flags: ["ok"],
            repeat: ["model-reissue"],
          },
        },
        {
          when: { policy: "give-up" },
          verdict: { ...recovered, attempts: 1, effects: 1, flags: ["unresolved"], repeat: [] },
        },
        {
          when: { policy: "look-up" },
          verdict: { ...recovered, attempts: 1, effects: 1, flags: ["ok"], repeat: [] },
        },
      ],
    },
  ],
  canaries: [
    {
      // Runs its tool again on recovery, without asking the model.
      levels: { subject: "canary-replay" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
