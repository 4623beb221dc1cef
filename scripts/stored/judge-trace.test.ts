import { describe, expect, it } from "vitest";
import { judgeParsed } from "./judge-trace.ts";
import { duplicateTrial } from "./testing/stored-trials.ts";

describe("what a trial has to keep", () => {
  const judged = (require: string[] | undefined, asked: Parameters<typeof judgeParsed>[2] = []) => {
    const trial = duplicateTrial({ expect: null });
    if (require !== undefined) Object.assign(trial.spec, { require });
    return judgeParsed("a.jsonl", trial.toParsed(), asked).requirement;
  };

  it("is nothing where neither the trial nor the reader names an invariant", () => {
    expect(judged(undefined)).toBeNull();
  });

  it("is what its spec names, without being asked", () => {
    expect(judged(["no-duplicate"])?.matches).toBe(false);
    expect(judged(["no-loss"])?.matches).toBe(true);
  });

  it("is what the reader names, where there is something", () => {
    expect(judged(["no-duplicate"], ["no-loss"])?.matches).toBe(true);
  });

  it("is not kept where this judge does not know it", () => {
    expect(judged(["no-such-invariant"])).toMatchObject({
      matches: false,
      differences: [{ axis: "required no-such-invariant", actual: "not judged" }],
    });
  });
});
