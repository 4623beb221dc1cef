/**
 * What `try` does with an agent of somebody's own: undisturbed, and lost at a point of its one call; beside it the kit's own
 * agents, lost in the acknowledgement gap, which must be convicted without a key and pass with a stored one. Made from what the
 * command line says, so it is no experiment by name.
 */
import type { Point } from "../src/trace/levels.ts";
import { Experiment } from "./experiment-schema.ts";
import type { WrittenExperiment } from "./shape.ts";

/** Where an agent can be lost whose model nobody holds. */
export const AGENT_POINTS = [
  "before-commit",
  "after-commit",
  "after-receipt",
] as const satisfies readonly Point[];
export type AgentPoint = (typeof AGENT_POINTS)[number];

export function ownAgent(point: AgentPoint): Experiment {
  return Experiment.parse({
    name: "own-agent",
    title: "An agent of somebody's own",
    description:
      "An agent that speaks MCP is killed at a point of its call, started again, and its effects are counted.",
    defaults: {
      subject: "command",
      point,
      reset: "kill",
      resets: 1,
      // As a service of today does it: what has a key is made once under it, what has none is made each time.
      destination: "keyed",
      heldAttempt: "dropped",
      policy: "reissue",
      key: "agent",
      reconnect: "never",
      // Nothing wakes a command but its start, which is part of the reset.
      quietMs: 500,
      settleMs: 500,
    },
    blocks: [
      { name: "undisturbed", levels: { point: "none", reset: "none", resets: 0 }, expect: [] },
      { name: "lost", levels: {}, expect: [] },
      {
        name: "control",
        levels: { subject: "command-keyed", point: "after-commit" },
        expect: [],
      },
    ],
    canaries: [
      {
        levels: { subject: "canary-keyless", point: "after-commit" },
        verdict: { attempts: 2, effects: 2, flags: ["duplicate"] },
      },
    ],
  } satisfies WrittenExperiment);
}
