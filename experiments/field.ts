/**
 * Faults that people reported of agents in the field and that the other experiments do not make, most frequent first; docs/field.md names
 * the reports, and the kinds that cannot be made here.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

/** The harnesses that run as an object, each of which keeps a conversation and takes a second prompt. */
const SUBJECTS = ["opencode", "think", "think-rerun", "ai-sdk"] as const;

/** They tell the model of the lost call; the others do it again without a word. */
const TOLD = ["opencode", "think"] as const;

const UNTOLD = ["think-rerun", "ai-sdk"] as const;
/** Where a repeat comes from the model. */
const ASKING = ["opencode", "think", "ai-sdk"] as const;

const recovered = {
  session: "restored",
  execution: "resumed",
  executor: "replacement-with-state",
  autonomous: true,
  stuck: false,
} as const;
/** The client came before the object could wake by itself. */
const fetched = { session: "restored", execution: "resumed", stuck: false } as const;
/** The second attempt succeeds, and nobody will know of the first. */
const leftOpen = { ...recovered, attempts: 2, effects: 1, flags: ["unresolved"] } as const;
const late = {
  ...recovered,
  attempts: 2,
  effects: 2,
  flags: ["duplicate"],
  repeat: ["late-commit"],
} as const;
const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;

/** The same, with who repeated it: the model, or the harness by itself. */
function bySubject<const Verdict extends object, const When extends object>(
  verdict: Verdict,
  when: When,
  ...also: readonly "caller-resubmit"[]
) {
  return [
    {
      when: { ...when, subject: "think-rerun" },
      verdict: { ...verdict, repeat: ["runtime-replay", ...also] },
    },
    { when: { ...when, subject: ASKING }, verdict: { ...verdict, repeat: ["model-reissue", ...also] } },
  ] as const;
}

export const field = {
  name: "field",
  title: "Faults from the field",
  description:
    "What people reported: the client asks for the same thing once more in a new operation, during the recovery or after it; the " +
    "destination's reads lag; an attempt never closes, or closes when everybody has gone on; a host is lost right after it accepted, " +
    "and right after the last answer; it is lost in every recovery.",
  defaults: USUAL_TRIAL,
  blocks: [
    {
      name: "asked-again",
      levels: { subject: SUBJECTS, reprompt: "new-id", destination: ["append", "unique"] },
      expect: [
        ...bySubject(
          { ...recovered, attempts: 3, effects: 3, flags: ["duplicate"] },
          { destination: "append" },
          "caller-resubmit",
        ),
        // Without a key of the client's own, the destination knows the action by its name.
        ...bySubject(
          { ...recovered, attempts: 3, effects: 1, flags: ["ok"] },
          { destination: "unique" },
          "caller-resubmit",
        ),
      ],
    },
    {
      name: "asked-again-during-recovery",
      levels: { subject: SUBJECTS, reprompt: "new-id", reconnect: "at-once" },
      expect: bySubject({ ...fetched, attempts: 3, effects: 3, flags: ["duplicate"] }, {}, "caller-resubmit"),
    },
    {
      name: "reads-lag",
      levels: { subject: SUBJECTS, lookUps: "stale", policy: "look-up" },
      expect: bySubject({ ...recovered, attempts: 2, effects: 2, flags: ["duplicate"] }, {}),
    },
    {
      name: "never-closes",
      levels: {
        subject: SUBJECTS,
        point: "before-commit",
        heldAttempt: ["left-open", "committed-late"],
        policy: ["reissue", "give-up"],
      },
      expect: [
        {
          when: { subject: TOLD, policy: "give-up", heldAttempt: "left-open" },
          verdict: { ...recovered, attempts: 1, effects: 0, flags: ["unresolved"], repeat: [] },
        },
        {
          when: { subject: TOLD, policy: "give-up", heldAttempt: "committed-late" },
          verdict: { ...recovered, attempts: 1, effects: 1, flags: ["unresolved"], repeat: [] },
        },
        {
          when: { subject: TOLD, policy: "reissue", heldAttempt: "left-open" },
          verdict: { ...leftOpen, repeat: ["model-reissue"] },
        },
        {
          when: { subject: "ai-sdk", heldAttempt: "left-open" },
          verdict: { ...leftOpen, repeat: ["model-reissue"] },
        },
        {
          when: { subject: "think-rerun", heldAttempt: "left-open" },
          verdict: { ...leftOpen, repeat: ["runtime-replay"] },
        },
        { when: { subject: TOLD, policy: "reissue", heldAttempt: "committed-late" }, verdict: late },
        { when: { subject: UNTOLD, heldAttempt: "committed-late" }, verdict: late },
      ],
    },
    {
      name: "accepted-and-lost",
      levels: { subject: SUBJECTS, point: "accepted", reset: ["abort", "kill"] },
      expect: [{ when: {}, verdict: { ...recovered, ...once } }],
    },
    {
      name: "answered-and-lost",
      levels: { subject: SUBJECTS, point: "after-answer", reset: ["abort", "kill"] },
      expect: [
        { when: {}, verdict: { session: "restored", execution: "not-interrupted", stuck: false, ...once } },
      ],
    },
    {
      name: "lost-in-each-recovery",
      levels: { subject: SUBJECTS, point: "during-recovery", resets: 4 },
      expect: bySubject({ ...recovered, attempts: 2, effects: 2, flags: ["duplicate"] }, {}),
    },
  ],
  canaries: [
    {
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
  ],
} as const satisfies WrittenExperiment;
