/**
 * A session whose work is done by an executor that can be replaced: what is kept when the object, the executor or both are
 * gone before, during and after the work, whatever took them.
 *
 * An injected loss and a stop by the harness itself stand side by side, with and without a snapshot of the executor's files.
 */
import type { WrittenExperiment } from "./shape.ts";

const SUBJECTS = ["container", "container-retry"] as const;
/** Before anything was done; done and not stored yet; done and stored. */
const IN_THE_TURN = ["model-request", "after-commit", "after-sync"] as const;
const WORKSPACES = ["snapshot", "snapshot-refused", "none"] as const;

export const continuity = {
  name: "continuity",
  title: "What is kept when a session's executor is replaced",
  description:
    "ContainerHarness with the kit's own agent: object, executor or both are lost before, during and after the work, by a kill, " +
    "by a stop that was asked for, by the harness's own stop of an idle container, by a container that cannot be started and by " +
    "an executor that stands still; with snapshots of its files and without.",
  defaults: {
    subject: "container",
    point: "after-sync",
    reset: "kill",
    resets: 1,
    destination: "append",
    heldAttempt: "dropped",
    policy: "reissue",
    key: "scenario",
    reconnect: "after-quiet",
    // The object looks after its work every 30 s; 10 s more leave room for a late alarm.
    quietMs: 40_000,
    settleMs: 2_000,
  },
  blocks: [
    {
      name: "baseline",
      levels: { subject: SUBJECTS, point: "none", reset: "none", resets: 0 },
      expect: [],
    },
    {
      name: "object-lost",
      levels: {
        subject: SUBJECTS,
        reset: "abort",
        point: ["model-request", "after-commit"],
      },
      expect: [],
    },
    {
      name: "object-lost-idle",
      levels: { reset: "abort", point: "after-answer" },
      expect: [],
    },
    {
      name: "executor-lost",
      levels: { target: "executor", subject: SUBJECTS, point: IN_THE_TURN },
      expect: [],
    },
    {
      name: "executor-lost-idle",
      levels: { target: "executor", point: "after-answer" },
      expect: [],
    },
    {
      name: "both-lost",
      levels: { subject: SUBJECTS, target: "both", point: "after-sync" },
      expect: [],
    },
    {
      name: "both-lost-idle",
      levels: { target: "both", point: "after-answer" },
      expect: [],
    },
    {
      name: "stopped",
      levels: { target: "executor", subject: SUBJECTS, reset: "stop" },
      expect: [],
    },
    {
      name: "stopped-idle",
      levels: { target: "executor", reset: "stop", point: "after-answer", workspace: WORKSPACES },
      expect: [],
    },
    {
      name: "idle-stop",
      levels: {
        target: "executor",
        subject: "container-idle",
        reset: "idle-stop",
        point: "after-answer",
        workspace: WORKSPACES,
      },
      expect: [],
    },
    {
      // Without an executor the object is idle too, and its runtime evicts it.
      name: "idle-both",
      levels: { subject: "container-idle", reset: "idle-stop", target: "both", point: "after-answer" },
      expect: [],
    },
    {
      name: "unstartable",
      levels: { target: "executor", subject: SUBJECTS, reset: "unstartable" },
      expect: [],
    },
    {
      name: "frozen",
      levels: {
        target: "executor",
        subject: SUBJECTS,
        reset: "pause",
        supervision: ["kills", "cannot-kill"],
      },
      expect: [],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay", reset: "abort", point: "after-commit" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
