/**
 * Two clients come back at the same moment, each with new work: after a loss of the executor, of the object, of both, and after
 * a stop. Nobody is to get an executor of its own, and both are to be answered.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const SUBJECTS = ["container", "container-retry"] as const;

const both = { singleFlight: "one-start", callersAnswered: 2, newWork: "admitted" } as const;

export const rebinding = {
  name: "rebinding",
  title: "Two clients that come back at once",
  description:
    "ContainerHarness with the kit's own agent: after a loss or a stop two clients hand new work in at the same time; whether " +
    "they share one start of the next executor, and whether both are answered.",
  defaults: { ...USUAL_TRIAL, subject: "container", point: "after-answer", reset: "kill" },
  blocks: [
    {
      name: "executor-idle",
      levels: { target: "executor", reset: ["kill", "stop"], callers: 2 },
      expect: [{ when: {}, verdict: { ...both, response: "same" } }],
    },
    {
      name: "both-idle",
      levels: { target: "both", callers: 2 },
      expect: [{ when: {}, verdict: { ...both, response: "replacement-with-state" } }],
    },
    {
      // The executor that is there serves both.
      name: "object-idle",
      levels: { reset: "abort", callers: 2 },
      expect: [
        {
          when: {},
          verdict: {
            singleFlight: "no-start",
            callersAnswered: 2,
            newWork: "admitted",
            response: "replacement-with-state",
            responseExecutor: "same",
          },
        },
      ],
    },
    {
      // Under a pending wait: the harness has started the next one before anybody comes back.
      name: "executor-at-work",
      levels: { subject: SUBJECTS, target: "executor", point: "after-sync", callers: 2 },
      expect: [
        { when: { subject: "container" }, verdict: { ...both, effects: 1, flags: ["unresolved"] } },
        { when: { subject: "container-retry" }, verdict: { ...both, effects: 2, flags: ["duplicate"] } },
      ],
    },
  ],
  canaries: [
    {
      // A client that hands the same work in again gets a second session for it.
      levels: { subject: "canary-second-session", target: "executor" },
      verdict: { businessRecord: "lost", flags: ["duplicate"], repeat: ["caller-resubmit"] },
    },
  ],
} as const satisfies WrittenExperiment;
