import { describe, expect, it } from "vitest";
import { conditionsOf } from "./conditions.ts";
import { validateExperiment } from "./registry.ts";
import { small } from "./testing/small-matrix.ts";

function conditionsWith(levels: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  const written = { ...small, blocks: [{ name: "one", levels, expect: [], ...fields }], canaries: [] };
  return conditionsOf(validateExperiment(written, "test"));
}

describe("the conditions of a block", () => {
  it("are one, of the defaults, when nothing is named", () => {
    expect(conditionsWith({})).toEqual([
      {
        name: "opencode/after-commit/abort/append/reissue",
        family: "one",
        factors: small.defaults,
        expect: null,
        claims: [],
        canary: false,
        sabotage: "none",
        variants: [],
      },
    ]);
  });

  it("are all combinations of the levels that are named", () => {
    const names = conditionsWith({ destination: ["append", "unique"], policy: ["reissue", "look-up"] }).map(
      ({ name }) => name,
    );
    expect(names).toEqual([
      "opencode/after-commit/abort/append/reissue",
      "opencode/after-commit/abort/append/look-up",
      "opencode/after-commit/abort/unique/reissue",
      "opencode/after-commit/abort/unique/look-up",
    ]);
  });

  it("carry in their name what differs from the defaults and is not named otherwise", () => {
    const names = conditionsWith({ key: ["scenario", "call-id"], resets: [1, 2] }).map(({ name }) => name);
    expect(names).toEqual([
      "opencode/after-commit/abort/append/reissue",
      "opencode/after-commit/abort/append/reissue/key=call-id",
      "opencode/after-commit/abort/append/reissue/resets=2",
      "opencode/after-commit/abort/append/reissue/resets=2/key=call-id",
    ]);
  });

  it("do not name the count that no reset implies", () => {
    const [baseline] = conditionsWith({ point: "none", reset: "none", resets: 0 });
    expect(baseline?.name).toBe("opencode/none/none/append/reissue");
  });

  it("carry in their name what is broken on purpose, which no factor tells", () => {
    const [tripped] = conditionsWith({}, { sabotage: "recorder-gap" });
    expect(tripped?.name).toBe("opencode/after-commit/abort/append/reissue/sabotage=recorder-gap");
    expect(tripped?.factors).toEqual(small.defaults);
  });

  it("carry the first expectation that applies, and none where none does", () => {
    const rule = (policy: string, effects: number) => ({ when: { policy }, verdict: { effects } });
    const conditions = conditionsWith(
      { policy: ["reissue", "look-up", "give-up"] },
      { expect: [rule("reissue", 2), rule("look-up", 1)] },
    );
    expect(conditions.map(({ expect: expected }) => expected)).toEqual([
      { effects: 2 },
      { effects: 1 },
      null,
    ]);
  });
});
