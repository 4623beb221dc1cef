/** A trial spec and an environment for tests: plain defaults, any part of which a test may override. */
import { GENESIS } from "../../trace/chain.ts";
import type { Environment, Factors, TrialSpec } from "../../trace/spec.ts";

export const ZERO_SHA = GENESIS;

export function buildFactors(overrides: Partial<Factors> = {}): Factors {
  return {
    subject: "opencode",
    host: "stand-in",
    point: "after-commit",
    reset: "abort",
    resets: 1,
    destination: "append",
    heldAttempt: "dropped",
    policy: "reissue",
    key: "scenario",
    reconnect: "after-quiet",
    quietMs: 40_000,
    settleMs: 10,
    ...overrides,
  };
}

export function buildSpec(
  overrides: Partial<Omit<TrialSpec, "factors">> & { factors?: Partial<Factors> } = {},
): TrialSpec {
  const { factors, ...rest } = overrides;
  return {
    trial: "run-1-t1",
    run: "run-1",
    experiment: "test",
    condition: "after-commit/abort/append/reissue",
    repeat: 1,
    intended: [{ action: "ticket", key: null, effects: 1 }],
    operationId: "op-1",
    probeId: "probe-1",
    slot: "default",
    marker: "M-77",
    canary: false,
    sabotage: "none",
    loadPerSecond: 0,
    bounds: { arriveMs: 1_000, resetMs: 1_000, operationMs: 1_000, canaryMs: 1_000 },
    seed: 1,
    resetDelayMs: 0,
    expect: null,
    ...rest,
    factors: buildFactors(factors),
  };
}

export function buildEnvironment(overrides: Partial<Environment> = {}): Environment {
  return {
    mode: "local",
    packages: { agents: "0.32.0" },
    host: { kind: "stand-in", name: "opencode-stand-in", version: "0" },
    node: "24.0.0",
    platform: "linux",
    lockfileSha256: ZERO_SHA,
    commit: null,
    dirty: null,
    compatibilityDate: "2026-11-01",
    compatibilityFlags: [],
    bundles: {},
    model: { id: "scripted", settings: {} },
    commandLine: ["recovery-kit", "run", "recovery"],
    seed: 1,
    startedAt: "2026-11-17T00:00:00Z",
    ...overrides,
  };
}
