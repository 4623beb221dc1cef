import { describe, expect, it } from "vitest";
import { wholeTrial } from "./cases/further-traces.ts";
import { t04, t05 } from "./cases/traces.ts";
import { matchExpectation } from "./expectation.ts";
import { judge } from "./judge.ts";

const duplicate = judge(wholeTrial("append").toParsed());

describe("matchExpectation", () => {
  it("matches when every named axis agrees", () => {
    const expected = {
      session: "restored",
      execution: "resumed",
      executor: "replacement-with-state",
      stuck: false,
      attempts: 2,
      effects: 2,
      flags: ["duplicate"],
      repeat: ["model-reissue"],
      autonomous: true,
    };
    expect(matchExpectation(duplicate, expected)).toEqual({ matches: true, differences: [] });
  });

  it("names each axis that differs, with both sides", () => {
    expect(matchExpectation(duplicate, { effects: 1, flags: ["ok"], session: "restored" })).toEqual({
      matches: false,
      differences: [
        { axis: "effects", expected: "1", actual: "2" },
        { axis: "flags", expected: "ok", actual: "duplicate" },
      ],
    });
  });

  it("does not compare axes that the expectation leaves out", () => {
    expect(matchExpectation(duplicate, {}).matches).toBe(true);
  });

  it("takes an empty list and 'none' for no repeat", () => {
    const stuck = judge(t05().toParsed());
    expect(matchExpectation(stuck, { repeat: [] }).matches).toBe(true);
    expect(matchExpectation(stuck, { repeat: ["none"] }).matches).toBe(true);
    expect(matchExpectation(duplicate, { repeat: [] }).differences).toEqual([
      { axis: "repeat", expected: "none", actual: "model-reissue" },
    ]);
  });

  it("takes neither true nor false for an axis that does not apply", () => {
    const untouched = judge(t04().toParsed());
    expect(matchExpectation(untouched, { autonomous: true }).matches).toBe(false);
    expect(matchExpectation(untouched, { autonomous: false }).matches).toBe(false);
  });

  it("does not take a value that is unknown for any expected one", () => {
    const damaged = judge({ header: null, records: [], problems: [] });
    expect(matchExpectation(damaged, { stuck: false, session: "restored" }).differences).toEqual([
      { axis: "session", expected: "restored", actual: "unknown" },
      { axis: "stuck", expected: "no", actual: "unknown" },
    ]);
  });
});
