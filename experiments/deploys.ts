/**
 * New code as a platform brings it: at once, or put off for as long as an active object may keep the old one. The call that is
 * held at the point keeps the object active, so that the update comes at the end of that time and cuts the call off.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

/** What every recovery on the way of the harness shows, whenever the new code came. */
const recovered = {
  session: "restored",
  execution: "resumed",
  executor: "replacement-with-state",
  stuck: false,
  autonomous: true,
} as const;
const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;
const repeated = { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["model-reissue"] } as const;
const absorbed = { attempts: 2, effects: 1, flags: ["ok"], repeat: ["model-reissue"] } as const;

export const deploys = {
  name: "deploys",
  title: "Deploys: new code at once, or put off",
  description:
    "The subject's code is replaced under a turn in progress: at once, or when the time is over for which the deploy lets " +
    "active objects keep the old code.",
  defaults: { ...USUAL_TRIAL, reset: "redeploy" },
  blocks: [
    {
      name: "at-once",
      levels: { destination: ["append", "unique"] },
      expect: [
        { when: { destination: "append" }, verdict: { ...recovered, ...repeated } },
        { when: { destination: "unique" }, verdict: { ...recovered, ...absorbed } },
      ],
    },
    {
      // Once sooner and once later than the harness's 30 s heartbeat.
      name: "put-off",
      levels: { reset: "redeploy-within", deferredS: [5, 35], destination: ["append", "unique"] },
      expect: [
        { when: { destination: "append" }, verdict: { ...recovered, ...repeated } },
        { when: { destination: "unique" }, verdict: { ...recovered, ...absorbed } },
      ],
    },
    {
      name: "put-off-before-the-tool",
      levels: { reset: "redeploy-within", deferredS: 5, point: "model-request" },
      expect: [{ when: {}, verdict: { ...recovered, ...once } }],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay", reset: "abort" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
