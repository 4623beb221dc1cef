import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FURTHER_CASES } from "./cases/further-traces.ts";
import { CASES } from "./cases/traces.ts";
import { explain, explainCode, isExplained } from "./explain.ts";
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
    expect(explainCode("from-a-later-kit", { pages: 3 })).toBe("from-a-later-kit (pages 3).");
    expect(explainCode("from-a-later-kit")).toBe("from-a-later-kit.");
  });

  it("has a sentence for every code that the checks write", () => {
    const codes = writtenCodes();
    // The pattern below finds codes where they are written; a floor keeps it from finding nothing.
    expect(codes.length).toBeGreaterThan(90);
    expect(codes.filter((code) => !isExplained(code))).toEqual([]);
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

/** Codes in the sources of the checks: `finding(axis, code`, `answer(value, code`, and returned as fields. */
function writtenCodes(): string[] {
  const here = import.meta.dirname;
  const files = [here, join(here, "gates")].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "explain.ts")
      .map((name) => join(folder, name)),
  );
  const codes = new Set<string>();
  for (const file of files) {
    const source = readFileSync(file, "utf8");
    for (const [, code] of source.matchAll(/\b(?:finding|answer)\(\s*"[^"]+",\s*"([^"]+)"/g))
      if (code !== undefined) codes.add(code);
    for (const [, code] of source.matchAll(/\bcode: "([^"]+)"/g)) if (code !== undefined) codes.add(code);
  }
  return [...codes];
}
