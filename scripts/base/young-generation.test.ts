import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { z } from "zod";

/** V8 copies what lives from one half to the other, and tells of the second one once it is in use. */
const HALVES = 2;
/** A page of V8's heap, in bytes: one that is being filled may come on top. */
const PAGE = 256 * 1024;

/** Has garbage made of which some lives for a while, and tells the room for new objects before and after, in bytes. */
function roomOfProcess(kept: "small" | "small, then not" | "never"): { before: number; after: number } {
  const module = JSON.stringify(new URL("young-generation.ts", import.meta.url).href);
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    const { keepYoungGenerationSmall, letYoungGenerationGrow } = await import(${module});
    if (${kept !== "never"}) keepYoungGenerationSmall();
    if (${kept === "small, then not"}) letYoungGenerationGrow();
    const room = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
    const before = room();
    let kept = [];
    for (let i = 0; i < 300_000; i++) {
      kept.push({ i, text: "x" + i });
      if (kept.length > 60_000) kept = kept.slice(30_000);
    }
    console.log(JSON.stringify({ before, after: room() }));`;
  const told = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  return z.strictObject({ before: z.number(), after: z.number() }).parse(JSON.parse(told));
}

it("takes no more room for new objects from then on, however many are made", () => {
  const { before, after } = roomOfProcess("small");
  expect(after).toBeLessThanOrEqual(HALVES * before + PAGE);
});

it.each(["never", "small, then not"] as const)(
  "would take more otherwise, so that the option is one that this V8 heeds: kept %s",
  (kept) => {
    const { before, after } = roomOfProcess(kept);
    expect(after).toBeGreaterThan(HALVES * before + PAGE);
  },
);
