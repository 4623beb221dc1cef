/**
 * A session whose work is done by an executor that can be replaced: what is kept when the object, the executor or both are
 * gone before, during and after the work, whatever took them.
 *
 * An injected loss and a stop by the harness itself stand side by side, with and without a snapshot of the executor's files.
 */
import { EXECUTOR_LOST_CLAIMS } from "./claims.ts";
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const SUBJECTS = ["container", "container-retry"] as const;
/** Real agent CLIs in the container, only where they are asked for: those that fail, and those that run an operation again. */
const CLIS = ["codex", "claude-code"] as const;
const CLIS_RETRY = ["codex-retry", "claude-code-retry"] as const;
const AGENT_CLIS = [...CLIS, ...CLIS_RETRY] as const;
/** Before anything was done; done and not stored yet; done and stored. */
const IN_THE_TURN = ["model-request", "after-commit", "after-sync"] as const;
const WORKSPACES = ["snapshot", "snapshot-refused", "none"] as const;

const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;
const KEPT = {
  conversation: "kept",
  businessRecord: "agrees",
  newWork: "admitted",
  cleanStart: "clean",
} as const;

/** The executor goes on without its object, and the object that comes back hears of it. */
const reattached = {
  session: "restored",
  execution: "resumed",
  executor: "same",
  response: "replacement-with-state",
  responseExecutor: "same",
  autonomous: true,
  ...KEPT,
  files: "kept",
  ...once,
} as const;

/** The harness ends the operation, and its client is left without an answer about an effect that happened. */
const ended = {
  session: "restored",
  execution: "settled-by-policy",
  executor: "none",
  attempts: 1,
  effects: 1,
  flags: ["unresolved"],
  repeat: [],
} as const;

/** The next executor is to go on with a thread whose file went with the old one: the session takes no work any more. */
const poisoned = {
  told: "not-applicable",
  newWork: "failed",
  responseExecutor: "none",
  conversation: "unreachable",
  files: "lost",
  declared: "missing-visible",
  // It can be repaired, and not with what it was.
  remedy: "without-history",
  cleanStart: "clean",
} as const;

/** The next executor has what was stored, and the model is told of the call whose result was lost. */
const resumed = {
  newWork: "admitted",
  responseExecutor: "replacement-with-state",
  conversation: "kept",
  businessRecord: "incomplete",
  declared: "only-declared",
  cleanStart: "clean",
} as const;

/** What the model is told of it is the agent's own word. */
const UNKNOWN = { told: "outcome-unknown" } as const;
const ABORTED = { told: "aborted" } as const;

/** The same, and the operation runs again by itself: the model acts a second time. */
const ranAgain = {
  session: "restored",
  execution: "resumed",
  executor: "replacement-with-state",
  attempts: 2,
  effects: 2,
  flags: ["duplicate"],
  repeat: ["model-reissue"],
} as const;

/** Nothing was under way. */
const idle = {
  session: "restored",
  execution: "not-interrupted",
  executor: "same",
  responseExecutor: "replacement-with-state",
  ...KEPT,
  declared: "only-declared",
  replacement: "one-at-a-time",
  ...once,
} as const;

/** With a snapshot the next executor has the files of the one before; without one it has what was declared. */
const BY_WORKSPACE = [
  { when: { workspace: "snapshot" }, verdict: { ...idle, files: "kept" } },
  { when: { workspace: ["snapshot-refused", "none"] }, verdict: { ...idle, files: "lost" } },
] as const;

/** The real agent CLIs, lost when their files were stored: `files` of the workspace are another matter. */
function afterSync<More extends object>(files: "kept" | "lost", more?: More) {
  return [
    { when: { subject: "codex" }, verdict: { ...ended, ...resumed, ...ABORTED, files, ...more } },
    { when: { subject: "claude-code" }, verdict: { ...ended, ...resumed, ...UNKNOWN, files, ...more } },
    { when: { subject: "codex-retry" }, verdict: { ...ranAgain, ...resumed, ...ABORTED, files, ...more } },
    {
      when: { subject: "claude-code-retry" },
      verdict: { ...ranAgain, ...resumed, ...UNKNOWN, files, ...more },
    },
  ] as const;
}

export const continuity = {
  name: "continuity",
  title: "What is kept when a session's executor is replaced",
  description:
    "ContainerHarness with the kit's own agent: object, executor or both are lost before, during and after the work, by a kill, " +
    "by a stop that was asked for, by the harness's own stop of an idle container, by a container that cannot be started and by " +
    "an executor that stands still; with snapshots of its files and without.",
  defaults: { ...USUAL_TRIAL, subject: "container", point: "after-sync", reset: "kill" },
  blocks: [
    {
      name: "baseline",
      levels: { subject: SUBJECTS, point: "none", reset: "none", resets: 0 },
      expect: [
        {
          when: {},
          verdict: {
            execution: "not-interrupted",
            executor: "same",
            responseExecutor: "same",
            ...KEPT,
            files: "untested",
            ...once,
          },
        },
      ],
    },
    {
      name: "object-lost",
      levels: {
        subject: SUBJECTS,
        reset: "abort",
        point: ["model-request", "after-commit"],
      },
      expect: [
        { when: { point: "model-request" }, verdict: { ...reattached, told: "not-applicable" } },
        { when: { point: "after-commit" }, verdict: { ...reattached, told: "result" } },
      ],
      claims: ["container-reattaches"],
    },
    {
      name: "object-lost-idle",
      levels: { reset: "abort", point: "after-answer" },
      expect: [
        {
          when: {},
          verdict: {
            session: "restored",
            execution: "not-interrupted",
            response: "replacement-with-state",
            responseExecutor: "same",
            ...KEPT,
            files: "kept",
            ...once,
          },
        },
      ],
    },
    {
      name: "executor-lost",
      levels: { target: "executor", subject: SUBJECTS, point: IN_THE_TURN },
      expect: [
        {
          when: { point: "model-request" },
          verdict: { ...ended, attempts: 0, effects: 0, businessRecord: "agrees", ...poisoned },
        },
        { when: { point: "after-commit" }, verdict: { ...ended, businessRecord: "incomplete", ...poisoned } },
        {
          when: { point: "after-sync", subject: "container" },
          verdict: { ...ended, ...resumed, ...UNKNOWN, files: "lost" },
        },
        {
          when: { point: "after-sync", subject: "container-retry" },
          verdict: { ...ranAgain, ...resumed, ...UNKNOWN, files: "lost" },
        },
      ],
      claims: EXECUTOR_LOST_CLAIMS,
    },
    {
      name: "executor-lost-idle",
      levels: { target: "executor", point: "after-answer" },
      expect: [{ when: {}, verdict: { ...idle, response: "same", files: "lost" } }],
      claims: ["container-resumes"],
    },
    {
      name: "both-lost",
      levels: { subject: SUBJECTS, target: "both", point: "after-sync" },
      expect: [
        { when: { subject: "container" }, verdict: { ...ended, ...resumed, ...UNKNOWN, files: "lost" } },
        {
          when: { subject: "container-retry" },
          verdict: { ...ranAgain, ...resumed, ...UNKNOWN, files: "lost" },
        },
      ],
      claims: EXECUTOR_LOST_CLAIMS,
    },
    {
      name: "both-lost-idle",
      levels: { target: "both", point: "after-answer" },
      expect: [{ when: {}, verdict: { ...idle, response: "replacement-with-state", files: "lost" } }],
      claims: ["container-resumes"],
    },
    {
      name: "stopped",
      levels: { target: "executor", subject: SUBJECTS, reset: "stop" },
      expect: [
        { when: { subject: "container" }, verdict: { ...ended, ...resumed, ...UNKNOWN, files: "kept" } },
        {
          when: { subject: "container-retry" },
          verdict: { ...ranAgain, ...resumed, ...UNKNOWN, files: "kept" },
        },
      ],
      claims: EXECUTOR_LOST_CLAIMS,
    },
    {
      name: "stopped-idle",
      levels: { target: "executor", reset: "stop", point: "after-answer", workspace: WORKSPACES },
      expect: BY_WORKSPACE,
      claims: ["container-resumes", "container-idle-snapshot"],
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
      expect: BY_WORKSPACE,
      claims: ["container-resumes", "container-idle-snapshot"],
    },
    {
      // Without an executor the object is idle too, and its runtime evicts it.
      name: "idle-both",
      levels: { subject: "container-idle", reset: "idle-stop", target: "both", point: "after-answer" },
      expect: [{ when: {}, verdict: { ...idle, response: "replacement-with-state", files: "kept" } }],
      claims: ["container-resumes"],
    },
    {
      name: "unstartable",
      levels: { target: "executor", subject: SUBJECTS, reset: "unstartable" },
      expect: [{ when: {}, verdict: { ...ended, ...resumed, ...UNKNOWN, files: "lost" } }],
      claims: ["container-unavailable-is-told"],
    },
    {
      name: "frozen",
      levels: {
        target: "executor",
        subject: SUBJECTS,
        reset: "pause",
        supervision: ["kills", "cannot-kill"],
      },
      expect: [
        {
          when: { subject: "container", supervision: "kills" },
          verdict: { ...ended, ...resumed, ...UNKNOWN, files: "lost", replacement: "one-at-a-time" },
        },
        {
          when: { subject: "container-retry", supervision: "kills" },
          verdict: { ...ranAgain, ...resumed, ...UNKNOWN, files: "lost", replacement: "one-at-a-time" },
        },
        {
          when: { subject: "container", supervision: "cannot-kill" },
          verdict: { ...ended, ...resumed, ...UNKNOWN, files: "lost", replacement: "two-acted" },
        },
        {
          when: { subject: "container-retry", supervision: "cannot-kill" },
          verdict: { ...ranAgain, ...resumed, ...UNKNOWN, files: "lost", replacement: "two-acted" },
        },
      ],
      claims: EXECUTOR_LOST_CLAIMS,
    },
    {
      name: "agent-cli-baseline",
      levels: { subject: AGENT_CLIS, point: "none", reset: "none", resets: 0 },
      expect: [
        {
          when: {},
          verdict: {
            execution: "not-interrupted",
            executor: "same",
            responseExecutor: "same",
            ...KEPT,
            files: "untested",
            ...once,
          },
        },
      ],
    },
    {
      name: "agent-cli-object-lost",
      levels: { subject: AGENT_CLIS, reset: "abort", point: "after-commit" },
      expect: [{ when: {}, verdict: { ...reattached, told: "result" } }],
    },
    {
      name: "agent-cli-executor-lost",
      levels: { target: "executor", subject: AGENT_CLIS, point: "after-commit" },
      expect: [{ when: {}, verdict: { ...ended, businessRecord: "incomplete", ...poisoned } }],
    },
    {
      name: "agent-cli-executor-lost-synced",
      levels: { subject: AGENT_CLIS, target: ["executor", "both"], point: "after-sync" },
      expect: afterSync("lost"),
    },
    {
      name: "agent-cli-executor-lost-idle",
      levels: { subject: CLIS, target: "executor", point: "after-answer" },
      expect: [{ when: {}, verdict: { ...idle, response: "same", files: "lost" } }],
    },
    {
      name: "agent-cli-both-lost-idle",
      levels: { subject: CLIS, target: "both", point: "after-answer" },
      expect: [{ when: {}, verdict: { ...idle, response: "replacement-with-state", files: "lost" } }],
    },
    {
      name: "agent-cli-stopped",
      levels: { subject: AGENT_CLIS, target: "executor", reset: "stop" },
      expect: afterSync("kept"),
    },
    {
      name: "agent-cli-stopped-idle",
      levels: {
        subject: CLIS,
        target: "executor",
        reset: "stop",
        point: "after-answer",
        workspace: WORKSPACES,
      },
      expect: BY_WORKSPACE,
    },
    {
      name: "agent-cli-unstartable",
      levels: { subject: AGENT_CLIS, target: "executor", reset: "unstartable" },
      expect: [
        {
          when: { subject: ["codex", "codex-retry"] },
          verdict: { ...ended, ...resumed, ...ABORTED, files: "lost" },
        },
        {
          when: { subject: ["claude-code", "claude-code-retry"] },
          verdict: { ...ended, ...resumed, ...UNKNOWN, files: "lost" },
        },
      ],
    },
    {
      name: "agent-cli-frozen",
      levels: { subject: AGENT_CLIS, target: "executor", reset: "pause" },
      expect: afterSync("lost", { replacement: "one-at-a-time" }),
    },
    {
      // The object asks the model; its commands run in the exec server of Codex, behind a client that rebinds.
      name: "exec-server-baseline",
      levels: { subject: "codex-exec-server", point: "none", reset: "none", resets: 0 },
      expect: [{ when: {}, verdict: { execution: "not-interrupted", executor: "same", ...KEPT, ...once } }],
    },
    {
      name: "exec-server-object-lost",
      levels: { subject: "codex-exec-server", reset: "abort", point: "after-commit" },
      expect: [
        {
          when: {},
          verdict: {
            ...reattached,
            executor: "replacement-with-state",
            files: "untested",
            told: "result",
            references: "kept",
          },
        },
      ],
    },
    {
      // The command's outcome is unknown, and the model asks for it again.
      name: "exec-server-executor-lost",
      levels: { subject: "codex-exec-server", target: ["executor", "both"], point: "after-commit" },
      expect: [
        {
          when: {},
          verdict: {
            session: "restored",
            execution: "resumed",
            responseExecutor: "replacement-without-state",
            ...UNKNOWN,
            conversation: "kept",
            businessRecord: "incomplete",
            newWork: "admitted",
            cleanStart: "clean",
            attempts: 2,
            effects: 2,
            flags: ["duplicate"],
            repeat: ["model-reissue"],
            references: "rejected",
          },
        },
      ],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay", reset: "abort", point: "after-commit" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
    {
      // Its next executor has a file that nobody declared.
      levels: { subject: "canary-hoarder", target: "executor" },
      verdict: { declared: "hidden-used" },
    },
    {
      // The same operation handed in again is another job to it.
      levels: { subject: "canary-second-session", target: "executor", point: "after-answer" },
      verdict: {
        businessRecord: "lost",
        attempts: 2,
        effects: 2,
        flags: ["duplicate"],
        repeat: ["caller-resubmit"],
      },
    },
  ],
} as const satisfies WrittenExperiment;
