/**
 * What happens when the host is lost more often than OpenCode resumes a turn. A client touches the object after every
 * loss, so each boot comes at once and not after a heartbeat.
 *
 * The host resumes ten times and ends the turn at the eleventh boot: eleven losses reach it.
 */
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const terminal = {
  session: "restored",
  execution: "settled-by-policy",
  executor: "replacement-with-state",
  stuck: false,
} as const;

export const exhaustion = {
  name: "exhaustion",
  title: "Losses beyond the resume limit",
  description:
    "Eleven losses of the host in one turn: ten resumes, then a terminal failure. Counts the effects of each activation.",
  defaults: { ...USUAL_TRIAL, resets: 11, reconnect: "at-once", quietMs: 1_000 },
  blocks: [
    {
      name: "beyond-the-limit",
      levels: { point: ["after-commit", "model-request"], destination: ["append", "unique"] },
      expect: [
        {
          when: { point: "after-commit", destination: "append" },
          verdict: { ...terminal, attempts: 11, effects: 11, flags: ["duplicate", "unresolved"] },
        },
        {
          when: { point: "after-commit", destination: "unique" },
          verdict: { ...terminal, attempts: 11, effects: 1, flags: ["unresolved"] },
        },
        {
          when: { point: "model-request" },
          verdict: { ...terminal, attempts: 0, effects: 0, flags: ["unresolved"] },
        },
      ],
    },
    {
      name: "at-the-limit",
      levels: { resets: 10 },
      expect: [
        {
          when: {},
          verdict: {
            session: "restored",
            execution: "resumed",
            executor: "replacement-with-state",
            stuck: false,
            attempts: 11,
            effects: 11,
            flags: ["duplicate"],
          },
        },
      ],
    },
  ],
  canaries: [
    {
      levels: { subject: "canary-replay", resets: 1, reconnect: "after-quiet", quietMs: 10_000 },
      verdict: { attempts: 2, effects: 2, flags: ["duplicate"], repeat: ["runtime-replay"] },
    },
  ],
} as const satisfies WrittenExperiment;
