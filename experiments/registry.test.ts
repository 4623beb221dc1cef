import { describe, expect, it } from "vitest";
import { KnownSubject, SUBJECTS } from "../src/harnesses/index.ts";
import { Destination, Policy } from "../src/trace/levels.ts";
import { conditionsOf, cross } from "./conditions.ts";
import { experimentNames, InvalidExperimentError, loadExperiment, validateExperiment } from "./registry.ts";
import { small } from "./testing/small-matrix.ts";

/** The declaration with the value at a path replaced, as a careless author might; `undefined` removes it. */
function altered(path: string, value: unknown): unknown {
  const draft: unknown = structuredClone(small);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const parent = keys.reduce<unknown>((inner, key) => Reflect.get(inner as object, key), draft) as object;
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else Reflect.set(parent, last, value);
  return draft;
}

function complaintOf(written: unknown): string {
  try {
    validateExperiment(written, "experiments/mine.ts");
  } catch (error) {
    if (error instanceof InvalidExperimentError) return error.message;
    throw error;
  }
  throw new Error("the experiment was accepted");
}

describe("the declared experiments", () => {
  it.each(experimentNames())("%s holds and carries its own name", (name) => {
    expect(loadExperiment(name).name).toBe(name);
  });

  it("names what is known when the experiment is not", () => {
    expect(() => loadExperiment("recvery")).toThrow("unknown experiment 'recvery'; known: recovery");
  });
});

/** The third one tells keys that an agent gives of itself from none, and harnesses are given theirs. */
const OF_HARNESSES = Destination.options.filter((destination) => destination !== "keyed");

describe("the recovery experiment", () => {
  const conditions = conditionsOf(loadExperiment("recovery"));
  const expectationOf = (name: string) => conditions.find((condition) => condition.name === name)?.expect;

  it("crosses the acknowledgement gap fully: every policy for every destination, lost in either way", () => {
    const { defaults } = loadExperiment("recovery");
    const full = cross(defaults, {
      reset: ["abort", "kill"],
      destination: OF_HARNESSES,
      policy: Policy.options,
    });
    expect(conditions.map(({ factors }) => factors)).toEqual(expect.arrayContaining(full));
  });

  it("has a baseline to compare with, of each destination", () => {
    const untouched = conditions.filter(({ factors }) => factors.point === "none");
    expect(untouched.map(({ factors }) => factors.destination).toSorted()).toEqual(OF_HARNESSES);
  });

  it("expects the same of a kill as of an abort", () => {
    for (const { name, factors, expect: expected } of conditions)
      if (factors.reset === "kill")
        expect(expectationOf(name.replace("/kill/", "/abort/"))).toEqual(expected);
  });

  it("expects a duplicate only where the destination cannot tell a repeat", () => {
    const effects = (destination: string) =>
      expectationOf(`opencode/after-commit/abort/${destination}/reissue`)?.effects;
    expect([effects("append"), effects("unique")]).toEqual([2, 1]);
  });

  it("keeps quiet for longer than the harness's 30 s heartbeat where it waits for the object alone", () => {
    for (const { factors } of conditions)
      if (factors.reconnect !== "at-once") expect(factors.quietMs).toBeGreaterThan(30_000);
  });

  it("has every canary subject that is an object alone, so that each kind of conviction is shown", () => {
    const canaries = conditions.filter(({ canary }) => canary).map(({ factors }) => factors.subject);
    expect(canaries.toSorted()).toEqual(
      KnownSubject.options
        .filter((subject) => {
          const { canary, runs } = SUBJECTS[subject];
          return canary && runs === "object" && !("container" in SUBJECTS[subject]);
        })
        .toSorted(),
    );
  });
});

describe("the continuity experiment", () => {
  const conditions = conditionsOf(loadExperiment("continuity"));

  it("has, with the rebinding experiment, every canary whose work is done in a container", () => {
    const own = [...conditions, ...conditionsOf(loadExperiment("rebinding"))]
      .filter(({ canary }) => canary)
      .map(({ factors }) => factors.subject);
    expect(own).toEqual(
      expect.arrayContaining(
        KnownSubject.options.filter(
          (subject) => SUBJECTS[subject].canary && "container" in SUBJECTS[subject],
        ),
      ),
    );
  });

  it("expects something of every condition", () => {
    expect(conditions.filter(({ expect: expected }) => expected === null).map(({ name }) => name)).toEqual(
      [],
    );
  });
});

describe("every canary", () => {
  const canaries = experimentNames().flatMap((name) =>
    conditionsOf(loadExperiment(name)).filter(({ canary }) => canary),
  );

  it.each(canaries)("$name is to be convicted: no sound subject meets what is expected", (canary) => {
    const {
      flags = ["ok"],
      session = "restored",
      declared = "only-declared",
      references = "rejected",
    } = canary.expect ?? {};
    const sound = [flags].flat().every((flag) => flag === "ok");
    expect(sound && session === "restored" && declared === "only-declared" && references === "rejected").toBe(
      false,
    );
  });

  it.each(experimentNames())("is missed by no experiment: %s has one", (name) => {
    expect(conditionsOf(loadExperiment(name)).some(({ canary }) => canary)).toBe(true);
  });
});

describe("a declaration that does not hold", () => {
  it("is shown with the complaint under the misspelt level", () => {
    const complaint = complaintOf(altered("blocks.1.levels.policy", ["reissue", "giveup"]));
    const lines = complaint.split("\n");
    const at = lines.findIndex((line) => line.trim() === '"giveup"');
    expect(lines[0]).toBe("experiments/mine.ts is not a valid experiment:");
    expect(lines[at + 1]).toMatch(/^ +\^{8} .*"give-up"/);
    expect(lines[at + 1]?.indexOf("^")).toBe(lines[at]?.indexOf('"giveup"'));
  });

  it.each([
    ["a negative number", "defaults.quietMs", -3, /quietMs: -3\n +\^\^ Too small/],
    ["a missing field", "title", undefined, /title:\s*\n\s*\^+ missing/],
    [
      "a word that no verdict has",
      "blocks.0.expect.0.verdict.flags",
      ["okay"],
      /"okay"\n +\^{6} Invalid option/,
    ],
    [
      "a field that does not exist",
      "blocks.0.expect.0.verdict.flag",
      "ok",
      /flag: "ok"\n +\^{4} there is no such field/,
    ],
    [
      "an expectation for no condition",
      "blocks.1.expect.0.when",
      { policy: "new-key" },
      /\^+ no condition of this block has these levels/,
    ],
    [
      "two expectations for one condition",
      "blocks.1.expect.1.when",
      { reset: "kill" },
      /\^+ an earlier expectation applies to the same condition/,
    ],
    [
      "a reset without a count",
      "blocks.1.levels.resets",
      0,
      /\^+ resets must be at least 1 with reset 'abort'/,
    ],
    ["a reset without a point", "blocks.1.levels.point", "none", /\^+ reset 'abort' needs a point/],
    [
      "an expectation that went stale when a level was taken out",
      "blocks.1.levels.policy",
      ["reissue", "look-up"],
      /when: \{"policy":"give-up"\}\n +\^+ no condition of this block has these levels/,
    ],
    [
      "a canary among the subjects under test",
      "blocks.1.levels.subject",
      "canary-replay",
      /\^+ canary subjects belong under 'canaries'/,
    ],
    [
      "a canary that is none",
      "canaries.0.levels.subject",
      "opencode",
      /\^+ a canary condition needs a canary subject/,
    ],
    [
      "the same condition twice",
      "blocks.2",
      small.blocks[0],
      /two conditions are called 'opencode\/none\/none\/append\/reissue'/,
    ],
  ])("is shown with its complaint: %s", (_name, path, value, complaint) => {
    expect(complaintOf(altered(path, value))).toMatch(complaint);
  });

  it("is shown even when it is not an object at all", () => {
    expect(complaintOf("recovery")).toMatch(/"recovery"\n +\^{10} /);
  });
});
