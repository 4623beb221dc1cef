import { describe, expect, it } from "vitest";
import { Subject } from "../trace/levels.ts";
import { KnownSubject, SUBJECTS, subjectTraits } from "./index.ts";

describe("the table of subjects", () => {
  it.each(KnownSubject.options)("has a row for %s that fits the format and names only other rows", (name) => {
    const { variantOf, runs, onDemand, canary } = SUBJECTS[name];
    expect(Subject.safeParse(name).success).toBe(true);
    expect(variantOf === null || KnownSubject.options.some((other) => other === variantOf)).toBe(true);
    // A variant comes along with its original, so both are there or neither is.
    if (variantOf !== null) expect(subjectTraits(variantOf)).toMatchObject({ runs, onDemand, canary });
  });

  it("does not answer for a subject that is not plugged in, though a trace may be of one", () => {
    expect(Subject.safeParse("her-own-agent").success).toBe(true);
    expect(() => subjectTraits("her-own-agent")).toThrow("there is no subject 'her-own-agent' here");
  });
});
