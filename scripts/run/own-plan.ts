/** What a user wrote about her own Worker as an experiment, and the plan of its trials. Pure. */
import type { Experiment } from "../../experiments/experiment-schema.ts";
import { validateExperiment } from "../../experiments/registry.ts";
import { USUAL_TRIAL } from "../../experiments/usual-trial.ts";
import { intendedBy, type TrialDefinition } from "../../src/own/trial-definition.ts";
import type { RunPlan } from "./run-plan.ts";

/** Leaves room for a late alarm. */
const QUIET_BEYOND_HEARTBEAT_MS = 10_000;

/** @throws InvalidExperimentError where the levels do not go together. */
export function ownExperiment(definition: TrialDefinition, source: string): Experiment {
  const { points, resets, policies, heartbeatMs, destinations } = definition;
  const losing = points.filter((point) => point !== "none");
  const written = {
    name: "own",
    title: "A user's own Worker",
    description: "The losses that its recovery.config.ts names, on an agent that the kit did not write.",
    defaults: {
      ...USUAL_TRIAL,
      subject: "own",
      key: "none",
      destination: destinations.every(({ unique }) => unique) ? "unique" : "append",
      quietMs: definition.quietMs ?? heartbeatMs + QUIET_BEYOND_HEARTBEAT_MS,
      settleMs: definition.settleMs ?? USUAL_TRIAL.settleMs,
    },
    blocks: [
      ...(losing.length === points.length
        ? []
        : [{ name: "baseline", levels: { point: "none", reset: "none", resets: 0 }, expect: [] }]),
      ...losing.map((point) => ({
        name: point,
        levels: {
          point,
          reset: resets,
          policy: policies,
          ...(point === "before-commit" ? { heldAttempt: definition.heldAttempt } : {}),
        },
        expect: [],
      })),
    ],
    canaries: [],
  };
  return validateExperiment(written, source);
}

/** A plan whose trials ask for what she wrote. */
export function withDefinition(plan: RunPlan, definition: TrialDefinition): RunPlan {
  const { prompt, script, heartbeatMs } = definition;
  const intended = intendedBy(definition);
  return {
    ...plan,
    specs: plan.specs.map((spec) => ({
      ...spec,
      intended: intended.length === 0 ? spec.intended : intended,
      script: { prompt, steps: script ?? [{ answer: "Done." }] },
      heartbeatMs,
    })),
  };
}
