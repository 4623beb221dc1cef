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
  test("go together when its process is killed, restarted or followed by another version", () => {
    expect(contradictionOf({ ...SERVER, reset: "upgrade" })).toBeNull();
    expect(contradictionOf(SERVER)).toBeNull();
    expect(contradictionOf({ ...SERVER, subject: "opencode-server-shell", reset: "restart" })).toBeNull();
    expect(contradictionOf({ ...SERVER, reconnect: "at-once" })).toBeNull();
    expect(contradictionOf({ ...SERVER, point: "none", reset: "none", resets: 0 })).toBeNull();
  });

  test.each(["abort", "evict", "redeploy", "interrupt"] as const)("contradict the reset '%s'", (reset) => {
    expect(contradictionOf({ ...SERVER, reset })).toBe(
      `subject 'opencode-server' is a process: its resets are none, kill, restart, upgrade, not '${reset}'`,
    );
    expect(contradictionOf({ ...SERVER, subject: "opencode", reset })).toBeNull();
  });

  test("contradict a client that never comes back, since nothing else would wake it", () => {
    expect(contradictionOf({ ...SERVER, reconnect: "never" })).toBe(
      "subject 'opencode-server' is a process, which nothing wakes: reconnect must be 'after-quiet' or 'at-once'",
    );
  });
});

describe("levels of a subject whose executor is apart from its object", () => {
  const CONTAINER: Omit<Factors, "host"> = { ...SERVER, subject: "container" };

  test("name what a kill takes", () => {
    expect(contradictionOf(CONTAINER)).toBeNull();
    for (const target of ["object", "executor", "both"] as const)
      expect(contradictionOf({ ...CONTAINER, target })).toBeNull();
    expect(contradictionOf({ ...CONTAINER, target: "executor", point: "after-sync" })).toBeNull();
  });

  test("contradict a reset that cannot take the executor, and a second one", () => {
    expect(contradictionOf({ ...CONTAINER, target: "executor", reset: "abort" })).toBe(
      "target 'executor' goes with one reset, of kill or unstartable or pause or idle-stop or stop, not with 1 of 'abort'",
    );
    expect(contradictionOf({ ...CONTAINER, target: "both", resets: 2 })).toBe(
      "target 'both' goes with one reset, of kill or idle-stop, not with 2 of 'kill'",
    );
    expect(contradictionOf({ ...CONTAINER, reset: "pause" })).toBe(
      "reset 'pause' takes an executor: target must be 'executor'",
    );
  });

  test("name a stop of an idle executor only where it comes to one within a trial", () => {
    const idle = { ...CONTAINER, target: "executor", reset: "idle-stop", point: "after-answer" } as const;
    expect(contradictionOf({ ...idle, subject: "container-idle" })).toBeNull();
    const needs =
      "reset 'idle-stop' needs point 'after-answer', and a subject that stops an idle container within the trial";
    expect(contradictionOf(idle)).toBe(needs);
    expect(contradictionOf({ ...idle, subject: "container-idle", point: "after-commit" })).toBe(needs);
  });

  test("say what becomes of an executor's files, and whether it can be ended, only where there is one", () => {
    const paused = { ...CONTAINER, target: "executor", reset: "pause" } as const;
    expect(contradictionOf({ ...paused, supervision: "cannot-kill", workspace: "none" })).toBeNull();
    expect(contradictionOf({ ...paused, reset: "kill", supervision: "cannot-kill" })).toContain(
      "reset must be 'pause'",
    );
    expect(contradictionOf({ ...SERVER, subject: "think", workspace: "snapshot" })).toContain(
      "leave workspace and supervision out",
    );
  });

  test("belong to no subject whose object does the work itself", () => {
    expect(contradictionOf({ ...SERVER, subject: "think", target: "executor" })).toBe(
      "subject 'think' has no executor apart from its object: leave target out",
    );
    expect(contradictionOf({ ...SERVER, subject: "think", point: "after-sync" })).toBe(
      "point 'after-sync' is about an executor's files, and subject 'think' has no executor apart from its object",
    );
  });
});

describe("a deploy that is put off", () => {
  const DEPLOYED = { ...SERVER, subject: "opencode" } as const;

  test("says for how long, and no other reset does", () => {
    expect(contradictionOf({ ...DEPLOYED, reset: "redeploy-within", deferredS: 5 })).toBeNull();
    expect(contradictionOf({ ...DEPLOYED, reset: "redeploy-within" })).toContain("needs deferredS");
    expect(contradictionOf({ ...DEPLOYED, reset: "redeploy", deferredS: 5 })).toContain(
      "belongs to reset 'redeploy-within', not to 'redeploy'",
    );
  });
});

describe("a client that asks again in a new operation", () => {
  const OBJECT = { ...SERVER, subject: "think", reset: "abort", reprompt: "new-id" } as const;

  test("comes back after a reset, at once or later", () => {
    expect(contradictionOf(OBJECT)).toBeNull();
    expect(contradictionOf({ ...OBJECT, reconnect: "at-once" })).toBeNull();
  });

  test.each([
    ["never comes back", { reconnect: "never" }],
    ["was never away", { point: "none", reset: "none", resets: 0 }],
  ] as const)("is none that %s", (_, levels) => {
    expect(contradictionOf({ ...OBJECT, ...levels })).toContain(
      "reprompt is what a client does that comes back",
    );
  });
});

describe("an attempt that never closes", () => {
  test("is held before its commit", () => {
    const open = { ...SERVER, subject: "think", reset: "abort", heldAttempt: "left-open" } as const;
    expect(contradictionOf({ ...open, point: "before-commit" })).toBeNull();
    expect(contradictionOf(open)).toContain("goes with point 'before-commit'");
  });
});
