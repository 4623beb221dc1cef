/**
 * The examples whose agent is asked by a model, each lost once in the acknowledgement gap, all side by side: which of them
 * makes a second effect, and which sources and which host the trace names.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { installedVersion } from "../scripts/local/workerd/host-choice.ts";
import type { JudgedTrial } from "../scripts/stored/judge-trace.ts";
import { runOwn } from "./support/run-own.ts";
import { RUN_TIMEOUT_MS } from "./support/run-trials.ts";

const EXAMPLES = fileURLToPath(new URL("../examples/", import.meta.url));
const OPENCODE_HOST = installedVersion("@opencode/sdk") === null ? "stand-in" : "sdk";

const TRIED = {
  plain: ["opencode-issue-tool/recovery.config.ts", "append"],
  keyed: ["opencode-issue-tool/recovery.key.config.ts", "unique"],
  looking: ["opencode-issue-tool/recovery.look-up.config.ts", "append"],
  rerun: ["think-issue-tool/recovery.config.ts", "append"],
} as const;

const trials = new Map<string, JudgedTrial>();

beforeAll(async () => {
  await Promise.all(
    Object.entries(TRIED).map(async ([name, [config, destination]]) => {
      const condition = `own/after-commit/abort/${destination}/reissue`;
      const [trial] = await runOwn(join(EXAMPLES, config), condition);
      if (trial !== undefined) trials.set(name, trial);
    }),
  );
}, RUN_TIMEOUT_MS);

const of = (name: keyof typeof TRIED): JudgedTrial => {
  const trial = trials.get(name);
  if (trial === undefined) throw new Error(`no trial of ${name}`);
  return trial;
};

it.each(Object.keys(TRIED) as (keyof typeof TRIED)[])("%s is lost, and the trial is valid", (name) => {
  expect(of(name).verdict.validity).toEqual({ value: "valid", reasons: [] });
});

it("a tool without a key is convicted: the model asks for it again", () => {
  const { verdict, requirement, prevention } = of("plain");
  expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
  expect(verdict.repeats).toMatchObject([{ cause: "model-reissue" }]);
  expect(requirement?.differences.map(({ axis }) => axis)).toEqual(["required no-duplicate"]);
  expect(prevention.map(({ means }) => means)).toEqual(["key", "look-up", "approval"]);
});

it("one with a key that is made of the payload is absorbed", () => {
  const { verdict, requirement } = of("keyed");
  expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 1, flags: ["ok"] }]);
  expect(requirement?.matches).toBe(true);
});

it("one that looks first makes no second attempt", () => {
  const { verdict, requirement } = of("looking");
  expect(verdict.operations).toMatchObject([{ attempts: 1, effects: 1, flags: ["ok"] }]);
  expect(requirement?.matches).toBe(true);
});

it("one that its harness runs again is convicted, whatever the model would have done", () => {
  const { verdict, requirement } = of("rerun");
  expect(verdict.operations).toMatchObject([{ attempts: 2, effects: 2, flags: ["duplicate"] }]);
  expect(verdict.repeats).toMatchObject([{ cause: "runtime-replay" }]);
  expect(requirement?.matches).toBe(false);
});

it("names the OpenCode host that went into the bundle, and none where there is none", () => {
  expect(of("plain").environment?.host.kind).toBe(OPENCODE_HOST);
  expect(of("rerun").environment?.host.kind).toBe("none");
});

it("names the sources that ran, which are those of the example", async () => {
  for (const [name, [config]] of Object.entries(TRIED)) {
    const source = await readFile(join(EXAMPLES, config, "../src/index.ts"));
    const sha256 = createHash("sha256").update(source).digest("hex");
    expect(of(name as keyof typeof TRIED).environment?.own?.files).toMatchObject({ "src/index.ts": sha256 });
  }
});
