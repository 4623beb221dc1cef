/** The plan of trials whose subject is a command: how long it is given. Pure. */
import { AGENT_TIMEOUT_MS } from "../../src/own/agent-definition.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import type { RunPlan } from "./run-plan.ts";

export function withAgentTimes(plan: RunPlan, timeoutMs: number): RunPlan {
  return { ...plan, specs: plan.specs.map((spec) => withTimes(spec, timeoutMs)) };
}

function withTimes(spec: TrialSpec, timeoutMs: number): TrialSpec {
  // After its receipt nobody holds it: it has to be lost at once, or it has ended.
  const resetDelayMs = spec.factors.point === "after-receipt" ? 0 : spec.resetDelayMs;
  // What the agent is given is no matter of the controls.
  const givenMs = spec.factors.subject === "command" ? timeoutMs : Math.max(timeoutMs, AGENT_TIMEOUT_MS);
  const bounds = { ...spec.bounds, arriveMs: givenMs, operationMs: givenMs };
  return { ...spec, resetDelayMs, bounds };
}
