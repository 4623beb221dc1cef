/** What comments, pages and contract cases cite exists: sections of the host contract, pages, files, commands. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../scripts/base/repository.ts";
import { SUITE } from "../scripts/checks/contract/cases/index.ts";
import { type Citable, danglingIn, danglingList, headingsOf, readContract } from "./support/citations.ts";

const CONTRACT = "docs/opencode-host-contract.md";
/** It has citations that lead nowhere, to show that they are found. */
const THIS_TEST = "tests/citations.test.ts";

const files = repositoryFiles();
const pages = files.filter((file) => file.endsWith(".md"));
const programs = files.filter((file) => /\.(?:ts|mjs|jsonc)$/.test(file));
const read = (file: string) => readFileSync(join(REPOSITORY, file), "utf8");
const citable: Citable = {
  files: new Set(files),
  npmScripts: new Set(Object.keys(JSON.parse(read("package.json")).scripts)),
  headings: new Map(pages.map((page) => [page, headingsOf(read(page))])),
  contract: readContract(read(CONTRACT)),
};

describe("every citation leads somewhere", () => {
  it("in the pages", () => {
    // The contract cites sources outside this repository, each named in its section 0, and itself without its name.
    const own = pages.filter((page) => page !== CONTRACT);
    expect(own.flatMap((page) => danglingIn(page, read(page), citable))).toEqual([]);
  });

  it("in the programs and their configuration", () => {
    const others = programs.filter((program) => program !== THIS_TEST);
    expect(others.flatMap((program) => danglingIn(program, read(program), citable))).toEqual([]);
  });

  it("in the contract, of itself", () => {
    const cited = [...read(CONTRACT).matchAll(/\bsection ([\d.]*\d)/g)].map(([, section]) => section!);
    expect(cited.filter((section) => !citable.contract.sections.has(section))).toEqual([]);
  });

  it("in the contract's cases", () => {
    const cases = Object.values(SUITE).flat();
    const checks = cases.flatMap(({ id }) => (id === undefined ? [] : id.replace("check-", "14, check ")));
    const lists = [...cases.map(({ section }) => section), ...checks];
    expect(lists.flatMap((list) => danglingList(list, citable.contract))).toEqual([]);
  });
});

describe("a citation that leads nowhere is found:", () => {
  it.each([
    ["a section that does not exist", "host contract, section 9.9", "the host contract has no section 9.9"],
    [
      "one of several",
      "Host contract, sections 4.5 (headers), 9.4 and 16",
      "the host contract has no section 16",
    ],
    [
      "a section broken across lines",
      "(host contract,\n * section 99)",
      "the host contract has no section 99",
    ],
    ["a row beyond the matrix", "host contract, section 9.3, rows 0 to 16", "section 9.3 has no rows 16"],
    [
      "a question that was not asked",
      "host contract, section 15, question 40",
      "section 15 has no question 40",
    ],
    ["a question elsewhere", "host contract, section 9.3, question 2", "a question belongs to section 15"],
    ["a section of nothing", "as in section 4.5", "'section 4.5' does not say of what"],
    ["a page", "see docs/nowhere.md", "there is no docs/nowhere.md"],
    ["a heading", 'README.md, "No such heading"', "README.md has no heading 'No such heading'"],
    ["a file in a comment", "// see nowhere.ts", "a comment names nowhere.ts"],
    ["a folder in a comment", "// the checks of scripts/nowhere.", "a comment names scripts/nowhere"],
  ])("%s", (_, text, complaint) => {
    const [first] = danglingIn("program.ts", text, citable);
    expect(first).toContain(complaint);
  });

  it.each([
    ["a path", "`src/nowhere/`", "there is no src/nowhere/"],
    ["a module", "`nowhere.ts`", "there is no nowhere.ts"],
    ["a link", "[here](docs/nowhere.txt)", "there is no docs/nowhere.txt"],
    ["a command", "`npm run nowhere`", "package.json has no script for 'npm run nowhere'"],
  ])("%s of a page", (_, text, complaint) => {
    expect(danglingIn("page.md", text, citable)).toEqual([`page.md: ${complaint}`]);
  });

  it("a link from the folder of its page", () => {
    expect(danglingIn("docs/page.md", "[there](structure.md) [here](docs/structure.md)", citable)).toEqual([
      "docs/page.md: there is no docs/structure.md",
    ]);
  });

  it("and one that leads somewhere is not", () => {
    const text =
      'host contract, sections 2 to 4, 9.3 rows 6 and 7 and 15, question 2; README.md, "How to read it"; `src/trace/`, ' +
      "`ids.ts`, `traces/<run>`, `other/place.ts`, [all](docs/structure.md#processes), `npm run judge -- traces/x`";
    expect(danglingIn("page.md", text, citable)).toEqual([]);
  });
});

/** Every file that belongs to the repository, as far as citations may name it. Runs in `traces/` do not. */
function repositoryFiles(): string[] {
  const skipped =
    /^(?:\.git|\.cache|\.wrangler|\.package-[^/]*|dist|node_modules|traces\/(?!golden|schema|README\.md))(?:\/|$)/;
  const list = (folder: string): string[] =>
    readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (skipped.test(path) || path.includes("node_modules")) return [];
      return entry.isDirectory() ? list(path) : [path];
    });
  return list("").sort();
}
