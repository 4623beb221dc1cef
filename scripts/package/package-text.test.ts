import { describe, expect, it } from "vitest";
import { packagedCommands, packagedNames, packagedPath, packagedSource } from "./package-text.ts";

const packaging = {
  files: new Set(["src/a.ts", "scripts/local/b.ts", "scripts/local/agent/daemon.ts", "src/page/main.ts"]),
  scripts: {
    kit: "node scripts/recovery-kit.mjs",
    matrix: "node scripts/recovery-kit.mjs run recovery",
    test: "vitest run",
  },
};

describe("a source in the package", () => {
  it("is JavaScript without types, and keeps the attributes of its imports", () => {
    const text =
      'import json from "../package.json" with { type: "json" };\nexport const a: string = json.name;\n';
    const made = packagedSource(text, "src/a.ts", packaging);
    expect(made).toContain('with { type: "json" }');
    expect(made).not.toContain(": string");
  });

  it.each([
    ["import of a file beside it", 'import "./b.ts";', 'import "./b.js";'],
    ["a file that is started", 'new URL("b.ts", import.meta.url)', 'new URL("b.js", import.meta.url)'],
    ["one in a folder below", 'ownProgram("daemon.ts")', 'ownProgram("daemon.js")'],
    ["one named from the root", 'join(root, "src/a.ts")', 'join(root, "src/a.js")'],
    ["one far away", 'import { a } from "../../src/a.ts"', 'import { a } from "../../src/a.js"'],
    ["a user's file", 'join(folder, "recovery.config.ts")', 'join(folder, "recovery.config.ts")'],
    ["an ending", 'path.endsWith(".ts")', 'path.endsWith(".ts")'],
  ])("%s", (_, text, made) => {
    expect(packagedNames(text, "scripts/local/c.ts", packaging)).toBe(made);
  });

  it.each([
    ["npm run kit -- list recovery", "npx recovery-kit list recovery"],
    ["npm run matrix -- --repeats 3", "npx recovery-kit run recovery --repeats 3"],
    ["Next: npm run matrix", "Next: npx recovery-kit run recovery"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands in the source
    ["`npm run kit -- ${command}`", "`npx recovery-kit ${command}`"],
    ["npm run test", "npm run test"],
    ["npm run --silent", "npm run --silent"],
    ["run 'npm ci'", "run 'npm install'"],
  ])("says '%s' as '%s'", (text, said) => {
    expect(packagedCommands(text, packaging)).toBe(said);
  });

  it("lies under the name of its module", () => {
    expect(packagedPath("src/a.ts")).toBe("src/a.js");
    expect(packagedPath("scripts/node-version.d.mts")).toBe("scripts/node-version.d.mts");
  });
});
