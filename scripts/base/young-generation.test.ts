import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";

/** The option that the entry of the command line sets. */
const KEPT_SMALL = /setFlagsFromString\("([^"]+)"\)/.exec(
  readFileSync(new URL("../recovery-kit.mjs", import.meta.url), "utf8"),
)?.[1];

/** Has garbage made of which some lives for a while, and tells the room for new objects then, in bytes. */
function roomOfProcess(kept: "small" | "small, then not" | "never"): number {
  const module = JSON.stringify(new URL("young-generation.ts", import.meta.url).href);
  const script = `
    import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
    const { letYoungGenerationGrow } = await import(${module});
    if (${kept !== "never"}) setFlagsFromString(${JSON.stringify(KEPT_SMALL)});
    if (${kept === "small, then not"}) letYoungGenerationGrow();
    let kept = [];
    for (let i = 0; i < 300_000; i++) {
      kept.push({ i, text: "x" + i });
      if (kept.length > 60_000) kept = kept.slice(30_000);
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);`;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  return z.coerce.number().positive().parse(told);
}

it("keeps a small part of the room that V8 takes otherwise, and gives it back", () => {
  const grown = roomOfProcess("never");
  expect(4 * roomOfProcess("small")).toBeLessThan(grown);
  expect(2 * roomOfProcess("small, then not")).toBeGreaterThan(grown);
});
