import { describe, expect, it } from "vitest";
import { AXES } from "./axes/index.ts";
import { FURTHER_CASES } from "./cases/further-traces.ts";
import { CASES } from "./cases/traces.ts";
import { explain, explainAnswer } from "./explain.ts";
import { judge } from "./judge.ts";

describe("explain", () => {
  it("composes the sentence from the facts", () => {
    expect(
      explain({
        code: "reset-not-delivered",
        facts: { reset: "redeploy", ordinal: 1, detail: "the old version is still answering" },
      }),
    ).toBe(
      "Reset 1 (redeploy) cannot be shown to have taken the host away: the old version is still answering.",
    );
  });

  it("shows a code that it does not know with its facts", () => {
    expect(explain({ code: "from-a-later-kit", facts: { pages: 3 } })).toBe("from-a-later-kit (pages 3).");
    expect(explainAnswer("from-a-later-kit")).toBe("from-a-later-kit.");
  });

  it("has a sentence for every code that an axis gives in the cases", () => {
    // The compiler checks the codes that are written; those that are taken over from elsewhere are checked here.
    for (const build of Object.values({ ...CASES, ...FURTHER_CASES })) {
      const verdict = judge(build().toParsed());
      for (const answered of [...AXES.map(({ name }) => verdict[name]), verdict.attribution])
        if ("code" in answered) expect(explainAnswer(answered.code)).toMatch(/^[A-Z].* .*\.$/);
    }
  });

  it("finds its facts in every finding of the cases", () => {
    for (const build of Object.values({ ...CASES, ...FURTHER_CASES })) {
      const { validity, findings } = judge(build().toParsed());
      for (const one of [...validity.reasons, ...findings]) {
        expect(explain(one)).toMatch(/^[A-Z].*\.$/s);
        expect(explain(one)).not.toContain("undefined");
      }
    }
  });
});
