import { describe, expect, it } from "vitest";
import { buildSpec } from "../../src/reconcile/testing/spec-builder.ts";
import type { Factors } from "../../src/trace/spec.ts";
import { hasShortQuiet, verifyQuiet } from "./short-quiet.ts";

const specOf = (factors: Partial<Factors>, heartbeatMs = 30_000) => buildSpec({ heartbeatMs, factors });

describe("a quiet interval", () => {
  it.each<[string, boolean, Partial<Factors>]>([
    ["below the heartbeat is too short", true, { quietMs: 29_999 }],
    ["as long as the heartbeat is not", false, { quietMs: 30_000 }],
    ["is too short where nobody comes back either", true, { quietMs: 5, reconnect: "never" }],
    ["that no trial keeps cannot be", false, { quietMs: 5, reconnect: "at-once" }],
    ["without a loss before it shows nothing anyway", false, { quietMs: 5, reset: "none", resets: 0 }],
    ["after a control shows nothing anyway", false, { quietMs: 5, reset: "stop-waiting" }],
    ["of a baseline does not exist", false, { quietMs: 5, point: "none", reset: "none", resets: 0 }],
  ])("%s", (_, short, factors) => {
    expect(hasShortQuiet(specOf(factors))).toBe(short);
  });

  it("cannot be too short for a subject that never looks", () => {
    expect(hasShortQuiet(buildSpec({ factors: { quietMs: 5 } }))).toBe(false);
  });

  it("that was asked for is refused with the longest heartbeat that it misses", () => {
    const specs = [
      specOf({ quietMs: 10, subject: "canary-replay" }, 5_000),
      specOf({ quietMs: 10 }),
      specOf({ quietMs: 10, reconnect: "at-once" }),
    ];
    expect(() => verifyQuiet(specs, 10)).toThrow(
      /^--quiet-ms 10 is shorter than the heartbeat of subject 'opencode', .* every 30000 ms: 2 of 3 trials /,
    );
    expect(() => verifyQuiet([specOf({ quietMs: 31_000 })], 31_000)).not.toThrow();
  });
});
