/**
 * What is not the loss of a host: clients that leave, waits that end, sessions that are interrupted. Beside the matrix
 * they show what the same probes read when nothing was lost, and that a cancelled turn does not come back.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const untouched = {
  session: "restored",
  execution: "not-interrupted",
  executor: "same",
  stuck: false,
} as const;
const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;

export const controls = {
  name: "controls",
  title: "Controls: nothing is lost",
  description:
    "Clients that leave, interrupted sessions, an idle host that closes and reopens, and one that is evicted.",
  defaults: { ...USUAL_TRIAL, reset: "client-disconnect" },
  blocks: [
    {
      name: "client-leaves",
      levels: {
        reset: ["client-disconnect", "stop-waiting"],
        point: ["before-commit", "after-commit", "model-request"],
      },
      expect: [{ when: {}, verdict: { ...untouched, ...once } }],
    },
    {
      name: "interrupted",
      levels: { reset: "interrupt", point: ["before-commit", "after-commit"] },
      expect: [
        {
          when: { point: "after-commit" },
          verdict: {
            session: "restored",
            execution: "settled-by-policy",
            stuck: false,
            attempts: 1,
            effects: 1,
          },
        },
        {
          when: { point: "before-commit" },
          verdict: {
            session: "restored",
            execution: "settled-by-policy",
            stuck: false,
            attempts: 1,
            effects: 0,
          },
        },
      ],
    },
    {
      name: "interrupted-then-killed",
      levels: { reset: "interrupt-then-kill", destination: ["append", "unique"] },
      expect: [{ when: {}, verdict: { session: "restored", stuck: false, attempts: 1, effects: 1 } }],
    },
    {
      // The harness closes an idle host after 30 s; the probe then opens it again. Nothing was evicted on purpose.
      name: "idle",
      levels: { point: "after-answer", reset: "none", resets: 0, reconnect: "after-quiet" },
      expect: [
        {
          when: {},
          verdict: {
            session: "restored",
            execution: "not-interrupted",
            response: "same",
            stuck: false,
            idleHost: "closed",
            ...once,
          },
        },
      ],
    },
    {
      // The same idle host, evicted with its object: nothing closed it, and whoever answers is another one.
      name: "idle-evicted",
      levels: { point: "after-answer", reset: "evict", reconnect: "after-quiet" },
      expect: [
        {
          when: {},
          verdict: {
            session: "restored",
            response: "replacement-with-state",
            stuck: false,
            idleHost: "lost",
            ...once,
          },
        },
      ],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay", reset: "abort" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
