/**
 * What is tried of an agent of somebody's own: undisturbed, and lost at points of its one call; beside it the kit's own agents,
 * lost in the acknowledgement gap, which must be convicted without a key and pass with a stored one. Made from what a command
 * line or a file says, so it is no experiment by name.
 */
import type { Destination } from "../src/trace/levels.ts";
import type { AgentPoint } from "../src/trace/points.ts";
import { Experiment } from "./experiment-schema.ts";
import type { WrittenExperiment } from "./shape.ts";

type Losses = { readonly points: readonly AgentPoint[]; readonly destination: Destination };

/** The controls stay as they are, whatever the outside world does with the agent's repeats. */
const CONTROL = { point: "after-commit", destination: "keyed" } as const;

export function ownAgent({ points, destination }: Losses): Experiment {
  return Experiment.parse({
    name: "own-agent",
    title: "An agent of somebody's own",
    description:
      "An agent that speaks MCP is killed at a point of its call, started again, and its effects are counted.",
    defaults: {
      subject: "command",
      point: "after-commit",
      reset: "kill",
      resets: 1,
      destination,
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
      { name: "lost", levels: { point: [...new Set(points)] }, expect: [] },
      {
        name: "control",
        levels: { subject: "command-keyed", ...CONTROL },
        expect: [],
      },
    ],
    canaries: [
      {
        levels: { subject: "canary-keyless", ...CONTROL },
        verdict: { attempts: 2, effects: 2, flags: ["duplicate"] },
      },
    ],
  } satisfies WrittenExperiment);
}
