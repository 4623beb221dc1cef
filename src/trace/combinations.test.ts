import { describe, expect, test } from "vitest";
import { subjectTraits } from "../harnesses/index.ts";
import { contradictionIn } from "./combinations.ts";
import type { Factors } from "./spec.ts";

const SERVER: Omit<Factors, "host"> = {
  subject: "opencode-server",
  point: "after-commit",
  reset: "kill",
  resets: 1,
  destination: "append",
  heldAttempt: "dropped",
  policy: "reissue",
  key: "scenario",
  reconnect: "after-quiet",
  quietMs: 8_000,
  settleMs: 2_000,
};

const contradictionOf = (factors: Omit<Factors, "host">) =>
  contradictionIn(factors, subjectTraits(factors.subject));

describe("levels of a subject that is a process", () => {
  test("go together when its process is killed or restarted", () => {
    expect(contradictionOf(SERVER)).toBeNull();
    expect(contradictionOf({ ...SERVER, subject: "opencode-server-shell", reset: "restart" })).toBeNull();
    expect(contradictionOf({ ...SERVER, reconnect: "at-once" })).toBeNull();
    expect(contradictionOf({ ...SERVER, point: "none", reset: "none", resets: 0 })).toBeNull();
  });

  test.each(["abort", "evict", "redeploy", "interrupt"] as const)("contradict the reset '%s'", (reset) => {
    expect(contradictionOf({ ...SERVER, reset })).toBe(
      `subject 'opencode-server' is a process: its resets are none, kill, restart, not '${reset}'`,
    );
    expect(contradictionOf({ ...SERVER, subject: "opencode", reset })).toBeNull();
  });

  test("contradict a client that never comes back, since nothing else would wake it", () => {
    expect(contradictionOf({ ...SERVER, reconnect: "never" })).toBe(
      "subject 'opencode-server' is a process, which nothing wakes: reconnect must be 'after-quiet' or 'at-once'",
    );
  });
});
