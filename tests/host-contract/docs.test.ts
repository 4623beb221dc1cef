/** The page about the stand-in names every rule, check and choice, and no other. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { GROUPS } from "../../scripts/checks/contract/cases/index.ts";
import { CHOICES, UNSEEN } from "../../scripts/checks/contract/uncertain-choices.ts";

const page = await readFile(new URL("../../docs/stand-in.md", import.meta.url), "utf8");
const RULES = Object.values(GROUPS).flat();

/** Rows of the tables between two headings. */
function rowsBetween(first: string, last: string): string[] {
  const section = page.slice(page.indexOf(first), page.indexOf(last));
  return section.split("\n").filter((line) => /^\| (?!rule|check \||question|---)/.test(line));
}

test("docs/stand-in.md lists each rule with its section", () => {
  const expected = RULES.map(
    ({ name, section: cited, needs }) => `| ${name}${needs === undefined ? "" : " †"} | ${cited} |`,
  );
  expect(rowsBetween("## What it reproduces", "### Crash matrix")).toEqual(expected);
});

test("docs/stand-in.md says which rule makes which of the eight checks", () => {
  const checks = RULES.flatMap(({ id, name }) => (id === undefined ? [] : `| ${id} | ${name} |`)).toSorted();
  expect(checks).toHaveLength(8);
  expect(rowsBetween("### The eight checks", "## Mutants")).toEqual(checks);
});

test("docs/stand-in.md lists each choice among uncertain readings, and which cannot be seen", () => {
  const seen = Object.entries(CHOICES).map(([question, choice]) => `| ${question} | ${choice} |`);
  const unseen = Object.entries(UNSEEN).map(
    ([question, { choice, reason }]) => `| ${question} | ${choice} (not seen from outside: ${reason}) |`,
  );
  expect(rowsBetween("## Choices among uncertain readings", "Where the contract is silent")).toEqual([
    ...seen,
    ...unseen,
  ]);
});
