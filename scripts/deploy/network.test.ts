/**
 * The commands that wrangler is given and how its answers are read: a recording program stands first on PATH and answers as
 * wrangler 4.164 does. What the real one takes is tried with its own dry run.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { writeSecret } from "./deploy-state.ts";
import { type Deployment, deploymentOf, ROLES } from "./deployment.ts";
import { takeDown } from "./down.ts";
import { Network } from "./network.ts";
import { placeWorker } from "./place-workers.ts";
import { eventsIn } from "./wrangler.ts";
import { WRANGLER_PROGRAM, wranglerEnvironment } from "./wrangler-program.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const PATH = process.env.PATH ?? "";
const NOT_LOGGED_IN =
  "In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN environment variable for wrangler to work.";
/** What wrangler 4.164 wrote on a machine without an account, which stands as `<folder>` in it. */
const SAMPLES = z
  .object({
    wrangler: z.literal("4.164.0"),
    samples: z.array(
      z.object({
        name: z.string(),
        code: z.number(),
        stdout: z.string(),
        stderr: z.string(),
        told: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("testing/wrangler-samples.json", import.meta.url), "utf8"))).samples;
/** As the code of wrangler writes it: without an account no such line could be recorded. */
const DEPLOYED = {
  type: "deploy",
  version: 1,
  worker_name: "some-prefix-subject",
  worker_tag: "t",
  version_id: "8d0a2f0c-1111-2222-3333-444455556666",
  targets: [],
};
const PLACE = { slots: ["default"], present: ROLES, isPublic: true, hasModels: true, builds: 3 };

let dir: string;
let deployment: Deployment;

/** Answers a command whose first word is `word`: exit code, text, and the line for programs. */
type Answers = Record<
  string,
  { code: number; stdout?: string; stderr?: string; event?: object; told?: string }
>;

/** A recorded answer, by its name. */
function sample(name: string): Answers[string] & { told: string } {
  const found = SAMPLES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no sample '${name}'`);
  return found;
}

function record(answers: Answers): () => string[][] {
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  const calls = join(dir, "calls.jsonl");
  writeFileSync(
    join(bin, "wrangler"),
    `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(calls)}, JSON.stringify(args) + "\\n");
const answer = ${JSON.stringify(answers)}[args[0]] ?? { code: 0 };
if (answer.event) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify({ type: "wrangler-session", version: 1 }) + "\\n" + JSON.stringify(answer.event) + "\\n");
if (answer.told) appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, answer.told);
process.stdout.write(answer.stdout ?? "");
process.stderr.write(answer.stderr ?? "");
process.exitCode = answer.code;
`,
  );
  chmodSync(join(bin, "wrangler"), 0o755);
  process.env.PATH = [bin, PATH].join(delimiter);
  return () =>
    readFileSync(calls, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "recovery-kit-test-"));
  deployment = deploymentOf("some-prefix", join(dir, "deploy"));
  writeSecret(deployment, SECRET);
});

afterEach(() => {
  process.env.PATH = PATH;
  rmSync(dir, { recursive: true, force: true });
});

const subject = () => placeWorker(deployment, { role: "subject", script: "export default {}" }, PLACE);

describe("a deploy", () => {
  it.each([
    [{ mode: "immediate" }, "immediate"],
    [{ mode: "deferred", maxS: 30 }, "deferred 30s"],
  ] as const)(
    "says when active objects take the code, and keeps the secret off the command line",
    async (update, mode) => {
      const calls = record({ deploy: { code: 0, event: DEPLOYED } });
      const worker = await subject();
      const put = await new Network(deployment, SECRET).put(worker, update);
      expect(put).toMatchObject({ version: DEPLOYED.version_id, url: null, process: null });
      const [args = []] = calls();
      expect(args.slice(0, 4)).toEqual(["deploy", "--config", worker.config, "--no-bundle"]);
      expect(args[args.indexOf("--durable-objects-code-update-mode") + 1]).toBe(mode);
      expect(args[args.indexOf("--tag") + 1]).toBe("build-3");
      expect(JSON.stringify(args)).not.toContain(SECRET);
    },
  );

  it("fails with the platform's own words", async () => {
    record({ deploy: sample("deploy, not logged in") });
    await expect(new Network(deployment, SECRET).put(await subject(), { mode: "immediate" })).rejects.toThrow(
      NOT_LOGGED_IN,
    );
  });

  it("fails with what it complained of, and not with its help, where it told programs nothing", async () => {
    record({ deploy: sample("deploy, an update mode that there is none") });
    const put = new Network(deployment, SECRET).put(await subject(), { mode: "immediate" });
    const error = await put.then(() => "", String);
    expect(error).toContain('must be either "immediate" or "deferred <duration>"');
    expect(error).not.toContain("\u001b");
    expect(error).not.toContain("Deploy a Worker");
  });

  it("is not begun by one who is not logged in", async () => {
    record({ whoami: sample("whoami, not logged in") });
    await expect(new Network(deployment, SECRET).verify()).rejects.toThrow("wrangler is not logged in");
  });
});

describe("taking down", () => {
  it("removes everything of the prefix from the prefix alone", async () => {
    const calls = record({});
    const { removed } = await takeDown(deployment, [new Network(deployment, "")]);
    expect(removed).toEqual([
      "some-prefix-workflow",
      "some-prefix-controller",
      "some-prefix-subject",
      "some-prefix-ledger",
    ]);
    expect(calls().map((args) => args.join(" "))).toEqual([
      "workflows delete some-prefix-workflow",
      "delete some-prefix-controller --force",
      "delete some-prefix-subject --force",
      "delete some-prefix-ledger --force",
    ]);
  });

  it("keeps the folder, as the only note of them, when something could not be removed; all the rest is tried", async () => {
    const event = { type: "command-failed", version: 1, message: "fetch failed" };
    const calls = record({ delete: { code: 1, event } });
    await expect(takeDown(deployment, [new Network(deployment, "")])).rejects.toThrow("fetch failed");
    expect(calls()).toHaveLength(4);
    expect(readFileSync(join(deployment.folder, "secret.env"), "utf8")).toContain(SECRET);
  });

  it("is not taken for done by one who is not logged in", async () => {
    record({
      delete: sample("delete, not logged in"),
      workflows: sample("workflows delete, not logged in"),
    });
    await expect(takeDown(deployment, [new Network(deployment, "")])).rejects.toThrow(NOT_LOGGED_IN);
  });

  it("takes a Worker that is not there for removed", async () => {
    const event = {
      type: "command-failed",
      version: 1,
      message: "This Worker does not exist on your account. [code: 10090]",
    };
    record({ delete: { code: 1, event }, workflows: { code: 1, event } });
    expect((await takeDown(deployment, [new Network(deployment, "")])).removed).toEqual([]);
  });
});

it("reads what it knows from every recorded answer, and takes a dry run for no deploy", () => {
  const read = SAMPLES.map(({ name, told }) => [name, eventsIn(told).map(({ type }) => type)]);
  expect(Object.fromEntries(read)).toEqual({
    "deploy --dry-run": ["deploy"],
    "deploy, not logged in": ["command-failed"],
    "deploy, an update mode that there is none": [],
    "whoami, not logged in": ["command-failed"],
    "delete, not logged in": ["command-failed"],
    "workflows delete, not logged in": ["command-failed"],
  });
  expect(eventsIn(sample("deploy --dry-run").told)).toMatchObject([
    { worker_name: "some-prefix-subject", version_id: null },
  ]);
});

it("passes over lines of wrangler's that it does not know", () => {
  expect(
    eventsIn('{"type":"version-upload"}\nno json\n{"type":"command-failed","message":"m"}\n{"ty'),
  ).toEqual([{ type: "command-failed", message: "m" }]);
});

it("makes configurations that the real wrangler takes, with the options that it is given", async () => {
  const told = join(dir, "told.ndjson");
  for (const role of ROLES) {
    const script = [
      "class Some {}",
      ...[
        "TrialLedger",
        "RunnerBoard",
        "HarnessSubject",
        "CanarySubject",
        "AlarmWitness",
        "TrialWorkflow",
      ].map((name) => `export class ${name} extends Some {}`),
      "export default { fetch() { return new Response() } }",
    ].join("\n");
    const worker = await placeWorker(deployment, { role, script }, PLACE);
    const [command, ...program] = WRANGLER_PROGRAM;
    const options = ["--durable-objects-code-update-mode", "deferred 30s", "--tag", worker.build];
    const secrets = ["--secrets-file", join(deployment.folder, "secret.env")];
    execFileSync(
      command,
      [...program, "deploy", "--dry-run", "--config", worker.config, "--no-bundle", ...options, ...secrets],
      {
        env: {
          ...process.env,
          ...wranglerEnvironment(dir),
          TMPDIR: tmpdir(),
          WRANGLER_OUTPUT_FILE_PATH: told,
        },
      },
    );
  }
  const names = eventsIn(readFileSync(told, "utf8")).flatMap((event) =>
    event.type === "deploy" ? event.worker_name : [],
  );
  expect(names).toEqual(ROLES.map((role) => `some-prefix-${role}`));
}, 120_000);
