/**
 * A user's own Worker under trial end to end: an example's sources as they are, bundled from its own configuration, lost in the
 * acknowledgement gap of a real request. All trials share one run, since a recovery takes the heartbeat of `Agent`.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { JudgedTrial } from "../scripts/stored/judge-trace.ts";
import { runOwn } from "./support/run-own.ts";
import { RUN_TIMEOUT_MS } from "./support/run-trials.ts";

const FOLDER = fileURLToPath(new URL("../examples/agent-scheduled-call/", import.meta.url));
const CONFIG = join(FOLDER, "recovery.config.ts");

let trials: readonly JudgedTrial[];

beforeAll(async () => {
  trials = await runOwn(CONFIG);
}, RUN_TIMEOUT_MS);

const of = (reset: string): JudgedTrial => {
  const found = trials.find(({ spec }) => spec?.factors.reset === reset);
  if (found === undefined) throw new Error(`no trial of ${reset}`);
  return found;
};

it("does its work once where nothing is lost", () => {
  const { verdict } = of("none");
  expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
  expect(verdict.operations).toMatchObject([
    { action: "send-invoice", attempts: 1, effects: 1, flags: ["ok"] },
  ]);
});

describe.each(["abort", "kill"])("a loss by %s", (reset) => {
  it("is proven, and the object wakes by itself", () => {
    const { verdict } = of(reset);
    expect(verdict.validity).toEqual({ value: "valid", reasons: [] });
    expect(verdict.autonomous.value).toBe("yes");
    expect(verdict.rebinding).toMatchObject({ generationBefore: 1, newWork: "admitted" });
  });

  it("has the scheduled task run again, which makes a second effect", () => {
    const { verdict, requirement } = of(reset);
    expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
    expect(verdict.repeats).toMatchObject([{ attempt: 2, cause: "runtime-replay" }]);
    expect(requirement?.differences.map(({ axis }) => axis)).toEqual(["required no-duplicate"]);
  });

  it("tells what would have prevented it", () => {
    const means = of(reset).prevention.map((one) => one.means);
    expect(means).toEqual(["key", "look-up"]);
    expect(of(reset).prevention[0]?.sentence).toContain("made of the payload would have been the same");
  });
});

it("names the sources that it ran, which are those of the example", async () => {
  const own = of("abort").environment?.own;
  expect(own).toMatchObject({ worker: "agent-scheduled-call", class: "BillingAgent", wrap: true });
  const sources = await readFile(join(FOLDER, "src/index.ts"));
  const sha256 = createHash("sha256").update(sources).digest("hex");
  expect(own?.main).toBe(sha256);
  expect(own?.files).toMatchObject({ "src/index.ts": sha256 });
});
