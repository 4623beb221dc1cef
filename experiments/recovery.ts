/**
 * What happens when the host is lost, by place in the turn, kind of loss, destination, model policy and key.
 *
 * How the conditions were chosen: every level of every factor at least once. The acknowledgement gap is crossed fully
 * over the two resets that need no new code, because it is the question. The other points are each paired with every
 * reset that can hit them, for the policy that repeats (`reissue`) and the destination that shows it (`append`), and
 * once with the destination that hides it. Keys, late commits, successive resets and reconnecting clients are paired
 * with the conditions in which they can make a difference. The full product would be thousands of conditions, most of
 * which cannot differ.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

/** What every recovery on the way of the harness shows: the object came back by itself, with its state. */
const recovered = {
  session: "restored",
  executor: "replacement-with-state",
  stuck: false,
  autonomous: true,
} as const;
/** Recovered, but a client asked before the object could have woken by itself. */
const fetched = { session: "restored", executor: "replacement-with-state", stuck: false } as const;
/** Never away: a control, or no reset at all. */
const untouched = { execution: "not-interrupted", executor: "same", stuck: false } as const;

const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;
const repeated = { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["model-reissue"] } as const;
const absorbed = { attempts: 2, effects: 1, flags: ["ok"], repeat: ["model-reissue"] } as const;
const openEnded = { attempts: 1, effects: 1, flags: ["unresolved"], repeat: [] } as const;

export const recovery = {
  name: "recovery",
  title: "Recovery from a lost host",
  description:
    "The agent's tool commits an effect and the host is lost around it. Counts what happened, with no client request " +
    "for longer than the harness's 30 s heartbeat.",
  defaults: USUAL_TRIAL,
  blocks: [
    {
      name: "baseline",
      levels: { point: "none", reset: "none", resets: 0, destination: ["append", "unique"] },
      expect: [{ when: {}, verdict: { ...untouched, ...once } }],
    },
    {
      name: "warm",
      levels: { point: "after-answer", reset: "none", resets: 0 },
      expect: [{ when: {}, verdict: { execution: "not-interrupted", stuck: false, ...once } }],
    },
    {
      name: "acknowledgement-gap",
      levels: {
        reset: ["abort", "kill"],
        destination: ["append", "unique"],
        policy: ["reissue", "new-key", "look-up", "give-up", "claim-success"],
      },
      expect: [
        {
          when: { policy: "reissue", destination: "append" },
          verdict: { ...recovered, execution: "resumed", ...repeated },
        },
        {
          when: { policy: "reissue", destination: "unique" },
          verdict: { ...recovered, execution: "resumed", ...absorbed },
        },
        // A fresh key makes the second attempt another action in the eyes of the destination.
        { when: { policy: "new-key" }, verdict: { ...recovered, execution: "resumed", ...repeated } },
        { when: { policy: "look-up" }, verdict: { ...recovered, ...once } },
        { when: { policy: "give-up" }, verdict: { ...recovered, ...openEnded } },
        { when: { policy: "claim-success" }, verdict: { ...recovered, ...once } },
      ],
    },
    {
      name: "new-code",
      levels: { reset: ["restart", "redeploy"], destination: ["append", "unique"] },
      expect: [
        { when: { destination: "append" }, verdict: { ...recovered, execution: "resumed", ...repeated } },
        { when: { destination: "unique" }, verdict: { ...recovered, execution: "resumed", ...absorbed } },
      ],
      claims: ["opencode-wakes"],
    },
    {
      name: "before-the-tool",
      levels: { point: ["model-request", "model-stream"], reset: ["abort", "kill", "restart", "redeploy"] },
      expect: [{ when: {}, verdict: { ...recovered, execution: "resumed", ...once } }],
      claims: ["opencode-wakes"],
    },
    {
      name: "before-commit",
      levels: {
        point: "before-commit",
        reset: ["abort", "kill"],
        destination: ["append", "unique"],
        policy: ["reissue", "look-up"],
      },
      expect: [
        {
          when: {},
          verdict: {
            ...recovered,
            execution: "resumed",
            attempts: 2,
            effects: 1,
            flags: ["ok"],
            repeat: ["model-reissue"],
          },
        },
      ],
    },
    {
      name: "late-commit",
      levels: {
        point: "before-commit",
        heldAttempt: "committed-late",
        destination: ["append", "unique"],
        policy: ["reissue", "look-up", "give-up"],
      },
      expect: [
        {
          when: { destination: "append", policy: ["reissue", "look-up"] },
          verdict: { ...recovered, attempts: 2, effects: 2, flags: ["duplicate"] },
        },
        {
          when: { destination: "unique", policy: ["reissue", "look-up"] },
          verdict: { ...recovered, attempts: 2, effects: 1, flags: ["ok"] },
        },
        { when: { policy: "give-up" }, verdict: { ...recovered, ...openEnded } },
      ],
    },
    {
      name: "after-the-receipt",
      levels: { point: "after-receipt", reset: ["abort", "kill", "restart", "redeploy"] },
      expect: [{ when: {}, verdict: { ...recovered, execution: "resumed", ...once } }],
      claims: ["opencode-wakes"],
    },
    {
      name: "after-the-answer",
      levels: { point: "after-answer", reset: ["abort", "kill", "evict"] },
      expect: [{ when: {}, verdict: { session: "restored", stuck: false, ...once } }],
    },
    {
      name: "successive",
      levels: { resets: [2, 3], reconnect: "at-once" },
      expect: [
        {
          when: { resets: 2 },
          verdict: {
            session: "restored",
            attempts: 3,
            effects: 3,
            flags: ["duplicate"],
            repeat: ["model-reissue"],
          },
        },
        {
          when: { resets: 3 },
          verdict: {
            session: "restored",
            attempts: 4,
            effects: 4,
            flags: ["duplicate"],
            repeat: ["model-reissue"],
          },
        },
      ],
    },
    {
      name: "during-recovery",
      levels: {
        point: "during-recovery",
        resets: 2,
        destination: ["append", "unique"],
        reconnect: "at-once",
      },
      expect: [
        {
          when: { destination: "append" },
          verdict: { session: "restored", effects: 2, flags: ["duplicate"] },
        },
        { when: { destination: "unique" }, verdict: { session: "restored", effects: 1, flags: ["ok"] } },
      ],
    },
    {
      name: "keys",
      levels: { key: ["call-id", "none"], destination: ["append", "unique"], policy: ["reissue", "look-up"] },
      expect: [
        // A repeated call has another call id, so a key made of it protects nothing.
        {
          when: { key: "call-id", policy: "reissue" },
          verdict: { ...recovered, ...repeated },
        },
        {
          when: { key: "none", policy: "reissue", destination: "append" },
          verdict: { ...recovered, ...repeated },
        },
        {
          when: { key: "none", policy: "reissue", destination: "unique" },
          verdict: { ...recovered, ...absorbed },
        },
        { when: { policy: "look-up" }, verdict: { ...recovered, ...once } },
      ],
    },
    {
      name: "reconnecting",
      levels: { reset: ["abort", "kill"], reconnect: ["at-once", "never"] },
      expect: [
        {
          when: { reconnect: "at-once" },
          verdict: { ...fetched, execution: "resumed", ...repeated },
        },
        { when: { reconnect: "never" }, verdict: { ...recovered, execution: "resumed", ...repeated } },
      ],
    },
  ],
  canaries: [
    {
      // Runs its tool again on recovery, without asking the model.
      levels: { subject: "canary-replay" },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
    {
      // Reports success without acting.
      levels: { subject: "canary-claim", point: "model-request" },
      verdict: { attempts: 0, effects: 0, flags: ["lost"] },
    },
    {
      // Sets no alarm, so nobody brings it back.
      levels: { subject: "canary-sleeper" },
      verdict: { execution: "not-resumed", executor: "none", stuck: true, flags: ["unresolved"] },
    },
    {
      // Comes back with empty storage.
      levels: { subject: "canary-amnesia" },
      verdict: {
        session: "lost",
        execution: "not-resumed",
        executor: "replacement-without-state",
        effects: 2,
        flags: ["duplicate"],
        repeat: ["caller-resubmit"],
      },
    },
  ],
} as const satisfies WrittenExperiment;
