/** The page that says what the stand-in reproduces names every rule of the suite, and no other. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { GROUPS } from "./cases/index.ts";

test("docs/stand-in.md lists each rule with its section", async () => {
  const page = await readFile(new URL("../../docs/stand-in.md", import.meta.url), "utf8");
  const section = page.slice(page.indexOf("## What it reproduces"), page.indexOf("## What it does not"));
  const listed = section.split("\n").filter((line) => /^\| (?!rule|---)/.test(line));
  const expected = Object.values(GROUPS)
    .flat()
    .map(({ name, section: cited, needs }) => `| ${name}${needs === undefined ? "" : " †"} | ${cited} |`);
  expect(listed).toEqual(expected);
});
