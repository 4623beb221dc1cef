import { describe, expect, it } from "vitest";
import { neverResumes } from "./cases/further-traces.ts";
import { t01, t02 } from "./cases/traces.ts";
import { INVARIANTS, type InvariantName, isInvariant, matchRequired } from "./invariants.ts";
import { judge } from "./judge.ts";

const ALL = Object.keys(INVARIANTS) as InvariantName[];
const broken = (build: typeof t01) =>
  matchRequired(judge(build().toParsed()), ALL).differences.map(({ axis }) => axis.replace("required ", ""));

describe("what may be required of any trial", () => {
  it("is broken by a duplicate", () =>
    expect(broken(t01)).toEqual(["no-duplicate", "no-repeat", "calls-recorded"]));

  it("is kept where the destination absorbs the repeat, but for what is asked of the repeat itself", () =>
    expect(broken(t02)).toEqual(["no-repeat", "calls-recorded"]));

  it("is broken by a session that nobody brings back", () =>
    expect(broken(neverResumes)).toEqual([
      "no-unresolved",
      "resumed",
      "completed",
      "wakes-by-itself",
      "not-stuck",
    ]));

  it("asks only for what was named", () =>
    expect(matchRequired(judge(t01().toParsed()), ["no-loss"])).toEqual({ matches: true, differences: [] }));

  it("has no name that an object brings along", () => expect(isInvariant("toString")).toBe(false));
});
