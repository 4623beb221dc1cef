/**
 * Two clients come back at the same moment, each with new work: after a loss of the executor, of the object, of both, and after
 * a stop. Nobody is to get an executor of its own, and both are to be answered.
 *
 * Where a subject hands out ids of its executor's work, an id of before the loss is used before there is new work, and after.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const SUBJECTS = ["container", "container-retry"] as const;

/** The object asks the model itself, and its commands run in an executor behind a client that rebinds. */
const EXEC_SERVERS = ["exec-server", "codex-exec-server"] as const;
/** Whose client forgets its generation with its object; whose ids carry none. */
const FORGETFUL = "codex-exec-server-memory";
const BARE = "codex-exec-server-bare";
const ALL_EXEC_SERVERS = [...EXEC_SERVERS, FORGETFUL, BARE] as const;

const both = { singleFlight: "one-start", callersAnswered: 2, newWork: "admitted" } as const;

/** The model is told that the outcome of its command is unknown, and asks for it again. */
const toldAndAsked = {
  singleFlight: "one-start",
  callersAnswered: 2,
  told: "outcome-unknown",
  effects: 2,
  flags: ["duplicate"],
  repeat: ["model-reissue"],
} as const;

export const rebinding = {
  name: "rebinding",
  title: "Clients that come back to another executor",
  description:
    "ContainerHarness with the kit's own agent, and a client that rebinds to an exec server, the one of Codex where it is asked for: " +
    "after a loss or a stop two clients hand new work in at the same time; whether they share one start of the next executor, and " +
    "whether both are answered. And what becomes of ids that were handed out for work of before.",
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
    {
      // Under a pending wait: the command's end is waited for when its executor goes.
      name: "exec-server-at-work",
      levels: { subject: ALL_EXEC_SERVERS, target: "executor", point: "after-commit", callers: 2 },
      expect: [
        {
          when: { subject: [...EXEC_SERVERS, FORGETFUL] },
          verdict: { ...toldAndAsked, references: "rejected" },
        },
        { when: { subject: BARE }, verdict: { ...toldAndAsked, references: "aliased" } },
      ],
    },
    {
      // Nobody has asked for the next one before both clients do.
      name: "exec-server-idle",
      levels: { subject: ALL_EXEC_SERVERS, target: "executor", callers: 2 },
      expect: [
        { when: { subject: [...EXEC_SERVERS, FORGETFUL] }, verdict: { ...both, references: "rejected" } },
        { when: { subject: BARE }, verdict: { ...both, references: "aliased" } },
      ],
    },
    {
      // The executor is there still. A client that kept its notes goes on with its session; one that did not begins another.
      name: "exec-server-object-lost",
      levels: { subject: ALL_EXEC_SERVERS, reset: "abort", point: "after-commit" },
      expect: [
        {
          when: { subject: [...EXEC_SERVERS, BARE] },
          verdict: { effects: 1, flags: ["ok"], responseExecutor: "same", references: "kept" },
        },
        {
          when: { subject: FORGETFUL },
          verdict: { effects: 2, flags: ["duplicate"], responseExecutor: "same", references: "aliased" },
        },
      ],
    },
    {
      name: "exec-server-both-lost",
      levels: { subject: ALL_EXEC_SERVERS, target: "both", point: "after-commit" },
      expect: [
        {
          when: { subject: EXEC_SERVERS },
          verdict: { effects: 2, flags: ["duplicate"], references: "rejected" },
        },
        {
          when: { subject: [FORGETFUL, BARE] },
          verdict: { effects: 2, flags: ["duplicate"], references: "aliased" },
        },
      ],
    },
  ],
  canaries: [
    {
      // Its ids carry no generation, and each executor numbers its work anew.
      levels: { subject: "canary-bare-ids", target: "executor", callers: 2 },
      verdict: { references: "aliased" },
    },
    {
      // A client that hands the same work in again gets a second session for it.
      levels: { subject: "canary-second-session", target: "executor" },
      verdict: { businessRecord: "lost", flags: ["duplicate"], repeat: ["caller-resubmit"] },
    },
  ],
} as const satisfies WrittenExperiment;
