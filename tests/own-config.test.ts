/** What is wrong with what a user wrote about her own Worker: one sentence and exit code 2, before anything is started. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kit } from "./support/in-process.ts";

let dir: string;
let count = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-own-config-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const WRANGLER = {
  name: "hers",
  main: "index.ts",
  compatibility_date: "2026-11-01",
  compatibility_flags: ["nodejs_compat"],
  durable_objects: { bindings: [{ name: "AGENT", class_name: "Hers" }] },
  migrations: [{ tag: "v1", new_sqlite_classes: ["Hers"] }],
};

const CONFIG = `
  object: { binding: "AGENT" },
  client: { submit: async () => undefined, result: async () => ({ status: "pending" }), later: async () => undefined },
  destinations: [{ match: "POST https://api.example/items", action: "item" }],
`;

/** Runs a project that is all right but for what is given. */
async function project({ wrangler = {}, config = "", instead = CONFIG } = {}) {
  const folder = join(dir, String(count++));
  await mkdir(folder);
  await writeFile(join(folder, "index.ts"), "export class Hers {}\n");
  await writeFile(join(folder, "wrangler.jsonc"), JSON.stringify({ ...WRANGLER, ...wrangler }));
  const text = `import { defineTrial } from "opencode-do-recovery-kit";
export default defineTrial({ ${instead} ${config} });`;
  await writeFile(join(folder, "recovery.config.ts"), text);
  return kit("run", join(folder, "recovery.config.ts"), "--dry-run");
}

it("plans her points, resets and policies where nothing is wrong", async () => {
  const { code, stdout } = await project({ config: 'resets: ["abort", "kill", "redeploy"]' });
  expect(code).toBe(0);
  for (const reset of ["abort", "kill", "redeploy"])
    expect(stdout).toContain(`own/after-commit/${reset}/append/reissue`);
});

describe("an agent that a command starts", () => {
  it("is planned at her points, undisturbed, and beside the kit's controls", async () => {
    const instead = 'subject: { command: "node index.ts" }, points: ["before-commit", "after-commit"],';
    const { code, stdout } = await project({ instead });
    expect(code).toBe(0);
    for (const condition of [
      "command/none/none/keyed",
      "command/before-commit/kill/keyed",
      "command/after-commit/kill/keyed",
      "command-keyed/after-commit/kill/keyed",
      "canary-keyless/after-commit/kill/keyed",
    ])
      expect(stdout).toContain(condition);
  });

  it.each([
    ["subject: {}", "subject.command: "],
    ['subject: { command: "no-such-agent" }', "subject.command: there is no program 'no-such-agent'"],
    ['subject: { command: "node", state: "./nowhere" }', "subject.state: there is no folder './nowhere'"],
    ['subject: { command: "node", mcp: "sse" }', "subject.mcp: "],
    ['subject: { command: "node" }, points: ["model-request"]', "points.0: "],
    ['subject: { command: "node" }, require: ["luck"]', "require: there is no invariant 'luck'"],
  ])("%s: is refused in one sentence", async (instead, sentence) => {
    const { code, stderr } = await project({ instead: `${instead},` });
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("a configuration that cannot be tried", () => {
  const binding = (fields: object) => ({
    durable_objects: { bindings: [{ name: "AGENT", class_name: "Hers", ...fields }] },
  });
  it.each([
    [
      "no such binding",
      { wrangler: binding({ name: "OTHER" }) },
      "no Durable Object binding 'AGENT'; there are: OTHER",
    ],
    [
      "a class of another Worker",
      { wrangler: binding({ script_name: "elsewhere" }) },
      "script_name 'elsewhere'",
    ],
    [
      "a binding to an absent Worker",
      { wrangler: { services: [{ binding: "MAILER", service: "mailer" }] } },
      "service 'MAILER' leads to the Worker 'mailer', which is not here",
    ],
    [
      "storage without SQL",
      { wrangler: { migrations: [{ new_classes: ["Hers"] }] } },
      "storage without SQL (new_classes)",
    ],
    ["no migration", { wrangler: { migrations: [] } }, "no migration brings the class 'Hers'"],
    ["no flag", { wrangler: { compatibility_flags: [] } }, "compatibility_flags lacks nodejs_compat"],
    ["no main", { wrangler: { main: "nowhere.ts" } }, "is not there"],
    ["no configuration", { config: 'wrangler: "./nowhere.jsonc",' }, "there is no"],
    [
      "a heartbeat longer than the quiet interval",
      { config: "heartbeatMs: 60000, quietMs: 40000," },
      "heartbeatMs (60000) is longer than quietMs (40000)",
    ],
    ["an unknown invariant", { config: 'require: ["no-trouble"],' }, "there is no invariant 'no-trouble'"],
    ["an unknown field", { config: "destination: []," }, "destination"],
    [
      "a rule that is none",
      { config: 'destinations: [{ match: "api.example", action: "item" }],' },
      "destinations.0.match",
    ],
    [
      "nothing to be asked later",
      {
        instead: CONFIG.replace(", later: async () => undefined", ""),
      },
      "client.later",
    ],
    ["a policy that does not exist", { config: 'policies: "hope",' }, "policies.0"],
  ])("%s", async (_, given, sentence) => {
    const { code, stdout, stderr } = await project(given);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("a file that is not there, or cannot be loaded", async () => {
    expect((await kit("run", join(dir, "nowhere.ts"))).stderr).toContain("there is no file");
    const broken = join(dir, "broken.ts");
    await writeFile(broken, "import './no-such-file.ts';\n");
    const { code, stderr } = await kit("run", broken);
    expect(stderr).toContain("cannot be loaded");
    expect(code).toBe(2);
  });
});

describe("an experiment of one's own", () => {
  it("is run from any path, and checked like the kit's own", async () => {
    const usual = fileURLToPath(new URL("../experiments/usual-trial.ts", import.meta.url));
    const written = (policy: string) => `import { USUAL_TRIAL } from ${JSON.stringify(usual)};
export default { name: "mine", title: "Mine", description: "One of mine.", defaults: USUAL_TRIAL, canaries: [],
  blocks: [{ name: "gap", levels: { policy: ["${policy}"] }, expect: [] }] };`;
    const [good, bad] = [join(dir, "mine.ts"), join(dir, "misspelt.ts")];
    await writeFile(good, written("look-up"));
    await writeFile(bad, written("look-upp"));
    const planned = await kit("run", good, "--dry-run");
    expect(planned.stdout).toContain("opencode/after-commit/abort/append/look-up");
    const refused = await kit("run", bad, "--dry-run");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("is not a valid experiment");
  });
});
