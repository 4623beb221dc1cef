import { describe, expect, it } from "vitest";
import { conditionsOf } from "../../experiments/conditions.ts";
import { experimentNames, loadExperiment, validateExperiment } from "../../experiments/registry.ts";
import { FACTORS } from "../../experiments/shape.ts";
import { small } from "../../experiments/testing/small-matrix.ts";
import { UserError } from "../base/user-error.ts";
import { EVERYTHING, type SelectionOptions, select, selectionOf } from "./selection.ts";

const conditions = conditionsOf(validateExperiment(small, "test"));
const keptBy = (options: SelectionOptions) =>
  select(conditions, selectionOf(options, conditions)).map(({ name }) => name);
const kept = (only: string) => keptBy({ only });
const CANARIES = conditions.filter(({ canary }) => canary).map(({ name }) => name);

describe("a selection by levels", () => {
  it("keeps everything when nothing is named", () => {
    expect(select(conditions, EVERYTHING)).toEqual(conditions);
    expect(selectionOf({}, conditions)).toEqual(EVERYTHING);
  });

  it("keeps the conditions that have the level, and the canaries", () => {
    expect(kept("reset=none")).toEqual([
      "opencode/none/none/append/reissue",
      "opencode/none/none/unique/reissue",
      ...CANARIES,
    ]);
  });

  it("takes levels of one factor as alternatives and of different factors together", () => {
    expect(kept("policy=give-up,policy=look-up,reset=kill,destination=append")).toEqual([
      "opencode/after-commit/kill/append/give-up",
      "opencode/after-commit/kill/append/look-up",
      ...CANARIES,
    ]);
  });

  it("leaves the canaries out when a subject is named", () => {
    expect(kept("subject=opencode,reset=none").filter((name) => CANARIES.includes(name))).toEqual([]);
    expect(kept("subject=canary-replay")).toEqual([expect.stringMatching(/^canary-replay\//)]);
  });

  it("means one condition when it spells a name out, and a variant when that is named too", () => {
    const matrix = conditionsOf(
      validateExperiment(
        {
          ...small,
          blocks: [{ name: "keys", levels: { key: ["scenario", "none"] }, expect: [] }],
          canaries: [],
        },
        "test",
      ),
    );
    const spelled = "point=after-commit,reset=abort,destination=append,policy=reissue";
    const keptOf = (only: string) => select(matrix, selectionOf({ only }, matrix)).map(({ name }) => name);
    expect(keptOf(spelled)).toEqual(["opencode/after-commit/abort/append/reissue"]);
    expect(keptOf(`${spelled},key=none`)).toEqual(["opencode/after-commit/abort/append/reissue/key=none"]);
    expect(keptOf("point=after-commit")).toHaveLength(2);
  });

  it("allows spaces, and levels that are numbers", () => {
    expect(kept("reset = none , quietMs=40000")).toEqual(kept("reset=none"));
  });

  it.each([
    ["policy", "'policy' is not of the form factor=level"],
    ["policy=", "'policy=' is not of the form factor=level"],
    ["policy=a=b", "'policy=a=b' is not of the form factor=level"],
    ["reset=none,", "'' is not of the form factor=level"],
    ["polcy=reissue", "unknown factor 'polcy'; known: subject, point, reset"],
    ["host=sdk", "the host is chosen with --host"],
    ["policy=reissu", "has policy 'reissu'; it has: reissue, give-up, look-up"],
    ["reset=none,policy=give-up", "no condition has reset=none and policy=give-up together"],
  ])("refuses '%s' and says why", (text, sentence) => {
    expect(() => kept(text)).toThrow(UserError);
    expect(() => kept(text)).toThrow(sentence);
  });
});

describe("a selection by subject", () => {
  const harnesses = conditionsOf(loadExperiment("harnesses"));
  const subjectsOf = (options: SelectionOptions) => [
    ...new Set(
      select(harnesses, selectionOf(options, harnesses)).flatMap(({ canary, factors }) =>
        canary ? [] : [factors.subject],
      ),
    ),
  ];
  const ORDINARY = ["opencode", "think", "think-rerun", "ai-sdk", "container", "container-retry"];
  const SERVERS = ["opencode-server", "opencode-server-shell"];

  it("leaves a subject that has to be installed out unless it is named", () => {
    expect(subjectsOf({})).toEqual(ORDINARY);
    expect(subjectsOf({ quick: true })).toEqual(ORDINARY);
    expect(subjectsOf({ only: "reset=kill" })).toEqual(ORDINARY);
    expect(subjectsOf({ only: "subject=opencode-server" })).toEqual(["opencode-server"]);
    const [first] = harnesses.filter(({ factors }) => factors.subject === "opencode-server-shell");
    expect(subjectsOf({ condition: [first?.name ?? ""] })).toEqual(["opencode-server-shell"]);
  });

  it("adds such a subject with its variants, and restricts the others to those that are named", () => {
    expect(subjectsOf({ subject: ["opencode-server"] })).toEqual([...ORDINARY, ...SERVERS]);
    expect(subjectsOf({ subject: ["opencode-server-shell"] })).toEqual([
      ...ORDINARY,
      "opencode-server-shell",
    ]);
    expect(subjectsOf({ subject: ["think"] })).toEqual(["think", "think-rerun"]);
    expect(subjectsOf({ subject: ["ai-sdk", "opencode-server"] })).toEqual(["ai-sdk", ...SERVERS]);
    expect(subjectsOf({ subject: ["opencode"] })).toEqual(["opencode"]);
  });

  it("keeps the canaries", () => {
    const kept = select(harnesses, selectionOf({ subject: ["think"] }, harnesses));
    expect(kept.filter(({ canary }) => canary)).toEqual(harnesses.filter(({ canary }) => canary));
  });

  it("refuses a subject that the experiment does not have", () => {
    expect(() => keptBy({ subject: ["thnik"] })).toThrow(UserError);
    expect(() => keptBy({ subject: ["thnik"] })).toThrow("has 'thnik'; it has: opencode");
  });
});

describe("a selection by name", () => {
  it("keeps that condition alone, though another differs from it in no factor", () => {
    for (const { name } of conditions) expect(keptBy({ condition: [name] })).toEqual([name]);
  });

  it("keeps several, in the experiment's order", () => {
    const [first = "", second = ""] = keptBy({});
    expect(keptBy({ condition: [second, first] })).toEqual([first, second]);
  });

  it("refuses a name that the experiment does not have", () => {
    expect(() => keptBy({ condition: ["opencode/nowhere"] })).toThrow(UserError);
    expect(() => keptBy({ condition: ["opencode/nowhere"] })).toThrow("has no 'opencode/nowhere'");
  });

  it("takes * for any part of a name, and at its end for the rest", () => {
    const all = conditions.map(({ name }) => name);
    expect(keptBy({ condition: ["opencode/*/kill/*"] })).toEqual(
      all.filter((name) => /^opencode\/[^/]*\/kill\//.test(name)),
    );
    expect(keptBy({ condition: ["canary-*"] })).toEqual(CANARIES);
    expect(keptBy({ condition: ["*"] })).toEqual(all);
  });

  it("does not take it for several parts in the middle, nor another sign for a pattern", () => {
    for (const name of ["opencode/*/reissue", "opencode.none.none.append.reissue", "open.*"])
      expect(() => keptBy({ condition: [name] })).toThrow(UserError);
  });

  it("names near ones where a pattern fits nothing", () => {
    expect(() => keptBy({ condition: ["opencode/*/killed/*/give-up"] })).toThrow(
      /has no 'opencode\/\*\/killed\/\*\/give-up'; near it: opencode\/[^ ]*give-up/,
    );
  });
});

describe("a quick selection", () => {
  it.each(experimentNames())("of %s adds nothing and still has every block, level and canary", (name) => {
    const all = conditionsOf(loadExperiment(name));
    const quick = select(all, { ...EVERYTHING, quick: true });
    const touched = (some: typeof all) => ({
      families: new Set(some.map(({ family }) => family)),
      levels: FACTORS.map((factor) => new Set(some.map(({ factors }) => factors[factor]))),
      canaries: some.filter(({ canary }) => canary),
    });
    expect(touched(quick)).toEqual(touched(all));
    expect(all).toEqual(expect.arrayContaining(quick));
  });

  it("leaves out what has nothing new", () => {
    const quick = keptBy({ quick: true });
    expect(quick).toContain("opencode/after-commit/abort/append/give-up");
    expect(quick).toContain("opencode/after-commit/kill/append/reissue");
    expect(quick).not.toContain("opencode/after-commit/kill/append/give-up");
  });

  it("thins out what levels leave", () => {
    const quick = keptBy({ only: "reset=kill", quick: true });
    expect(quick).toContain("opencode/after-commit/kill/append/give-up");
    expect(quick.filter((name) => name.includes("/abort/"))).toEqual(CANARIES);
  });
});
