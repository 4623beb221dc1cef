/**
 * The same loss on other harnesses: what each does with the call that was under way, and what follows of it outside.
 *
 * The acknowledgement gap is crossed over two resets, both destinations and the three policies that differ in what the
 * model does when it is told of an interrupted call. A harness that does not tell it shows that by not differing. The
 * two other points are the ones around a finished call: before it was asked for, and after its result was given.
 */
import { EXECUTOR_LOST_CLAIMS } from "./claims.ts";
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const SUBJECTS = ["opencode", "think", "think-rerun", "ai-sdk"] as const;
/** Their work is done by an agent in a container, which outlives the object. */
const CONTAINERS = ["container", "container-retry"] as const;
/** Real agent CLIs in the container, only where they are asked for. */
const AGENT_CLIS = ["codex", "codex-retry", "claude-code", "claude-code-retry"] as const;
/** A real OpenCode 1.18: with a plugin's tool on one of its APIs, with its own shell on the other. */
const SERVERS = ["opencode-server", "opencode-server-shell"] as const;

const recovered = {
  session: "restored",
  execution: "resumed",
  executor: "replacement-with-state",
  stuck: false,
  autonomous: true,
} as const;

/** Nothing goes on before a client asks again. That nothing woke by itself is no finding: the kit starts the process. */
const onlyAsked = {
  session: "restored",
  execution: "not-resumed",
  executor: "replacement-with-state",
  // Nothing is under way or scheduled until then, and the work is owed.
  stuck: true,
} as const;

const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;
const asked = { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["model-reissue"] } as const;
const askedAbsorbed = { attempts: 2, effects: 1, flags: ["ok"], repeat: ["model-reissue"] } as const;
const replayed = { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] } as const;
const replayedAbsorbed = { attempts: 2, effects: 1, flags: ["ok"], repeat: ["runtime-replay"] } as const;

/** The harness ends the operation, and its client is left without an answer about an effect that happened. */
const executorLost = {
  session: "restored",
  execution: "settled-by-policy",
  executor: "none",
  stuck: false,
  attempts: 1,
  effects: 1,
  flags: ["unresolved"],
  repeat: [],
} as const;

/** The executor outlives the object and ends its turn; the object comes back and hears of it. */
const executorWentOn = {
  ...recovered,
  executor: "same",
  response: "replacement-with-state",
  told: "result",
  newWork: "admitted",
} as const;

/** The harness runs the operation again, in an executor that has the thread of the one before. */
const nextExecutorWentOn = {
  session: "restored",
  execution: "resumed",
  executor: "replacement-with-state",
  stuck: false,
  newWork: "admitted",
} as const;

const executorLostIdle = {
  session: "restored",
  execution: "not-interrupted",
  executor: "same",
  response: "same",
  stuck: false,
  newWork: "admitted",
} as const;

/** They tell the model that its call was interrupted, so that its policy decides. */
const telling = ["opencode", "think"] as const;

export const harnesses = {
  name: "harnesses",
  title: "The same loss on other harnesses",
  description:
    "OpenCodeHarness, ThinkHarness (without and with rerun), AiSdkHarness and ContainerHarness of the agents package under the same loss, " +
    "with the same tools, model and controller; and, where they are asked for, the real Codex and Claude Code, and a real OpenCode 1.18 server.",
  defaults: USUAL_TRIAL,
  blocks: [
    {
      name: "baseline",
      levels: { subject: SUBJECTS, point: "none", reset: "none", resets: 0 },
      expect: [
        { when: {}, verdict: { execution: "not-interrupted", executor: "same", stuck: false, ...once } },
      ],
    },
    {
      name: "acknowledgement-gap",
      levels: {
        subject: SUBJECTS,
        reset: ["abort", "kill"],
        destination: ["append", "unique"],
        policy: ["reissue", "give-up", "look-up"],
      },
      claims: ["opencode-wakes", "think-tells", "think-reruns", "ai-sdk-begins-anew"],
      expect: [
        {
          when: { subject: telling, policy: "reissue", destination: "append" },
          verdict: { ...recovered, ...asked },
        },
        {
          when: { subject: telling, policy: "reissue", destination: "unique" },
          verdict: { ...recovered, ...askedAbsorbed },
        },
        {
          when: { subject: telling, policy: "give-up" },
          verdict: { ...recovered, attempts: 1, effects: 1, flags: ["unresolved"], repeat: [] },
        },
        { when: { subject: telling, policy: "look-up" }, verdict: { ...recovered, ...once } },
        // The harness repeats the call before the model is asked anything.
        {
          when: { subject: "think-rerun", destination: "append" },
          verdict: { ...recovered, ...replayed },
        },
        {
          when: { subject: "think-rerun", destination: "unique" },
          verdict: { ...recovered, ...replayedAbsorbed },
        },
        // The turn begins anew from the user's message: the model is told of no call, and asks for it again.
        { when: { subject: "ai-sdk", destination: "append" }, verdict: { ...recovered, ...asked } },
        { when: { subject: "ai-sdk", destination: "unique" }, verdict: { ...recovered, ...askedAbsorbed } },
      ],
    },
    {
      // A key made of the call id is worth something only where a repeated call keeps its id.
      name: "keys",
      levels: { subject: SUBJECTS, destination: "unique", key: "call-id" },
      expect: [
        { when: { subject: "think-rerun" }, verdict: { ...recovered, ...replayedAbsorbed } },
        { when: { subject: ["opencode", "think", "ai-sdk"] }, verdict: { ...recovered, ...asked } },
      ],
    },
    {
      name: "after-the-receipt",
      levels: { subject: SUBJECTS, point: "after-receipt" },
      expect: [
        {
          when: { subject: ["opencode", "think", "think-rerun"] },
          verdict: { ...recovered, ...once },
        },
        // Nothing of a turn is saved before it has ended, so that even a result which was there is lost.
        { when: { subject: "ai-sdk" }, verdict: { ...recovered, ...asked } },
      ],
    },
    {
      name: "before-the-tool",
      levels: { subject: SUBJECTS, point: "model-request" },
      expect: [{ when: {}, verdict: { ...recovered, ...once } }],
    },
    {
      name: "container-baseline",
      levels: { subject: CONTAINERS, point: "none", reset: "none", resets: 0 },
      expect: [
        { when: {}, verdict: { execution: "not-interrupted", executor: "same", stuck: false, ...once } },
      ],
    },
    {
      // Only the object is lost. The agent gets its receipt and goes on; the object comes back and hears of it.
      name: "container-acknowledgement-gap",
      levels: { subject: CONTAINERS, reset: ["abort", "kill"] },
      claims: ["container-reattaches"],
      expect: [
        {
          when: {},
          verdict: { ...executorWentOn, ...once },
        },
      ],
    },
    {
      // Lost before the agent's files were stored: the next executor is to go on with a thread that it has not.
      name: "container-executor-lost",
      levels: { subject: CONTAINERS, target: "executor", reset: "kill" },
      claims: EXECUTOR_LOST_CLAIMS,
      expect: [{ when: {}, verdict: { ...executorLost, told: "not-applicable", newWork: "failed" } }],
    },
    {
      // Lost later in the same turn, alone or with its object: the next executor has the thread.
      name: "container-executor-lost-synced",
      levels: { subject: CONTAINERS, target: ["executor", "both"], reset: "kill", point: "after-sync" },
      claims: EXECUTOR_LOST_CLAIMS,
      expect: [
        {
          when: { subject: "container" },
          verdict: { ...executorLost, told: "outcome-unknown", newWork: "admitted" },
        },
        {
          when: { subject: "container-retry" },
          verdict: { ...nextExecutorWentOn, told: "outcome-unknown", ...asked },
        },
      ],
    },
    {
      // The container refuses to start as often as the harness tries, then starts again.
      name: "container-unstartable",
      levels: { subject: CONTAINERS, target: "executor", reset: "unstartable", point: "after-sync" },
      claims: ["container-unavailable-is-told"],
      expect: [{ when: {}, verdict: { ...executorLost, told: "outcome-unknown", newWork: "admitted" } }],
    },
    {
      // The turn is over and its files are stored.
      name: "container-executor-lost-idle",
      levels: { subject: CONTAINERS, target: "executor", reset: "kill", point: "after-answer" },
      claims: ["container-resumes"],
      expect: [
        {
          when: {},
          verdict: { ...executorLostIdle, ...once },
        },
      ],
    },
    {
      name: "agent-cli-baseline",
      levels: { subject: AGENT_CLIS, point: "none", reset: "none", resets: 0 },
      expect: [
        { when: {}, verdict: { execution: "not-interrupted", executor: "same", stuck: false, ...once } },
      ],
    },
    {
      name: "agent-cli-acknowledgement-gap",
      levels: { subject: AGENT_CLIS, reset: ["abort", "kill"] },
      expect: [{ when: {}, verdict: { ...executorWentOn, ...once } }],
    },
    {
      // The thread's name was stored at once, its file was not: the session can be named, and never used again.
      name: "agent-cli-executor-lost",
      levels: { subject: AGENT_CLIS, target: "executor", reset: "kill" },
      expect: [
        {
          when: {},
          verdict: {
            ...executorLost,
            told: "not-applicable",
            newWork: "failed",
            // A reset of the session repairs it, at the price of its history.
            remedy: "without-history",
            cleanStart: "clean",
          },
        },
      ],
    },
    {
      name: "agent-cli-executor-lost-synced",
      levels: { subject: AGENT_CLIS, target: ["executor", "both"], reset: "kill", point: "after-sync" },
      expect: [
        {
          when: { subject: "codex" },
          verdict: { ...executorLost, told: "aborted", newWork: "admitted" },
        },
        {
          when: { subject: "claude-code" },
          verdict: { ...executorLost, told: "outcome-unknown", newWork: "admitted" },
        },
        { when: { subject: "codex-retry" }, verdict: { ...nextExecutorWentOn, told: "aborted", ...asked } },
        {
          when: { subject: "claude-code-retry" },
          verdict: { ...nextExecutorWentOn, told: "outcome-unknown", ...asked },
        },
      ],
    },
    {
      name: "agent-cli-executor-lost-idle",
      levels: { subject: AGENT_CLIS, target: "executor", reset: "kill", point: "after-answer" },
      expect: [{ when: {}, verdict: { ...executorLostIdle, ...once } }],
    },
    {
      name: "server-baseline",
      levels: { subject: SERVERS, point: "none", reset: "none", resets: 0 },
      expect: [
        { when: {}, verdict: { execution: "not-interrupted", executor: "same", stuck: false, ...once } },
      ],
    },
    {
      name: "server-acknowledgement-gap",
      levels: {
        subject: SERVERS,
        reset: ["kill", "restart"],
        destination: ["append", "unique"],
        policy: ["reissue", "give-up", "look-up"],
      },
      claims: ["server-admits-durably"],
      expect: [
        { when: { policy: "reissue", destination: "append" }, verdict: { ...onlyAsked, ...asked } },
        { when: { policy: "reissue", destination: "unique" }, verdict: { ...onlyAsked, ...askedAbsorbed } },
        {
          when: { policy: "give-up" },
          verdict: { ...onlyAsked, attempts: 1, effects: 1, flags: ["unresolved"], repeat: [] },
        },
        { when: { policy: "look-up" }, verdict: { ...onlyAsked, ...once } },
      ],
    },
    {
      // Accepted work is owed, whether or not anything of it was begun.
      name: "server-accepted",
      levels: { subject: SERVERS, reset: "kill", point: "accepted" },
      claims: ["server-admits-durably"],
      expect: [{ when: {}, verdict: { ...onlyAsked, ...once } }],
    },
    {
      name: "server-elsewhere",
      levels: { subject: SERVERS, reset: "kill", point: ["after-receipt", "model-request"] },
      expect: [{ when: {}, verdict: { ...onlyAsked, ...once } }],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay" },
      verdict: { ...replayed },
    },
  ],
} as const satisfies WrittenExperiment;
