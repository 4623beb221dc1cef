/**
 * `deploy up` is killed while it works at each of its steps, and `down` removes all that it left: from the state, from the prefix
 * alone where the state is gone too, and where not even the folder is there. A rehearsal's processes are real; on the network a
 * recording program stands first on PATH, which keeps account of what wrangler 4.164 would have put there.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkDeployments } from "../../scripts/checks/doctor/machine-checks.ts";
import { readState, statePath } from "../../scripts/deploy/deploy-state.ts";
import { processesOf } from "../../scripts/deploy/deployed-processes.ts";
import { deploymentOf } from "../../scripts/deploy/deployment.ts";
import { findDeployments } from "../../scripts/deploy/deployment-leftovers.ts";
import { SCRATCH_PREFIX } from "../../scripts/local/process/scratch-folder.ts";
import { kit, startKit } from "../support/kit.ts";
import { hasProc, survivors, until } from "../support/processes.ts";

const PREFIX = `rkit-killed-${process.pid}`;
const deployment = deploymentOf(PREFIX);
const LONG = { timeout: 400_000 };

/** What `up` says when it begins a step, after it has entered it in the state. */
const STEPS = [
  "bundling the three Workers",
  `putting ${PREFIX}-ledger there (1 of 4)`,
  `putting ${PREFIX}-subject there (2 of 4)`,
  `putting ${PREFIX}-controller there (3 of 4)`,
  `putting ${PREFIX}-subject there (4 of 4)`,
] as const;

/** What is lost besides the command. */
const LOSSES = {
  nothing: () => undefined,
  "the state": () => rmSync(statePath(deployment)),
  "the folder": () => rmSync(deployment.folder, { recursive: true, force: true, maxRetries: 20 }),
} as const;
type Loss = keyof typeof LOSSES;

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterEach(async () => {
  if (existsSync(deployment.folder)) await kit("deploy", "down", "--prefix", PREFIX);
}, 60_000);
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("a rehearsal", () => {
  it.each([
    [STEPS[0], "nothing"],
    [STEPS[1], "the state"],
    [STEPS[2], "nothing"],
    [STEPS[3], "the state"],
    [STEPS[4], "nothing"],
    // Only their environment tells of the processes then.
    ...(hasProc ? [[STEPS[4], "the folder"] as const] : []),
  ] as const)("that was killed at '%s' and lost %s besides is removed", LONG, async (step, loss) => {
    const up = startKit(["deploy", "up", "--rehearse", "--host", "stand-in", "--prefix", PREFIX]);
    await up.says(step);
    up.child.kill("SIGKILL");
    await up.ended;
    expectKilledAt(step);
    const running = processesOf(deployment.folder);
    if (STEPS.indexOf(step) > 1) expect(running.length).toBeGreaterThan(0);
    LOSSES[loss]();
    expectNamedByDoctor(loss);
    const down = await kit("deploy", "down", "--prefix", PREFIX);
    expect(down.code).toBe(0);
    expect(survivors(running)).toEqual([]);
    expectNothingLeft();
  });
});

describe("a deployment on the network", () => {
  let controller: Miniflare;
  beforeAll(async () => {
    controller = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: "export default { fetch: () => Response.json({ ok: true }) }",
        host: "127.0.0.1",
        https: true,
      }),
    );
    await controller.ready;
  });
  afterAll(() => controller.dispose());

  const cases = STEPS.flatMap((step) => (Object.keys(LOSSES) as Loss[]).map((loss) => [step, loss] as const));
  it.each(cases)(
    "whose 'up' was killed at '%s' and that lost %s besides is removed",
    LONG,
    async (step, loss) => {
      const account = join(dir, "account", `${STEPS.indexOf(step)}-${loss}`);
      const env = wranglerFor(account, { url: String(await controller.ready), holdAt: STEPS.indexOf(step) });
      const up = startKit(["deploy", "up", "--host", "stand-in", "--prefix", PREFIX], { env });
      await up.says(step);
      if (step !== STEPS[0]) await untilHeld(account);
      up.child.kill("SIGKILL");
      await up.ended;
      expectKilledAt(step);
      const there = readdirSync(account).filter((name) => name !== HELD);
      // The deploy that it was killed in had reached the network, which nobody has written down.
      expect(there).toHaveLength([0, 1, 2, 4, 4][STEPS.indexOf(step)] ?? -1);
      LOSSES[loss]();
      if (loss !== "the folder") expectNamedByDoctor(loss);
      const onNetwork = loss === "nothing" ? [] : ["--on-network"];
      const down = await startKit(["deploy", "down", "--prefix", PREFIX, ...onNetwork], { env }).ended;
      expect(down.stderr).toBe("");
      expect(down.code).toBe(0);
      expect(readdirSync(account).filter((name) => name !== HELD)).toEqual([]);
      expectNothingLeft();
      // The keeper of the 'up' that was killed takes its time.
      await until(() => readdirSync(join(dir, "tmp")).every((name) => !name.startsWith(SCRATCH_PREFIX)));
    },
  );
});

/** The step was in the state before it was begun. */
function expectKilledAt(step: string): void {
  const stage = step === STEPS[0] ? "preparing" : step;
  expect(readState(deployment)?.stage).toBe(stage);
}

function expectNamedByDoctor(loss: Loss): void {
  const answer = checkDeployments(findDeployments().filter(({ prefix }) => prefix === PREFIX));
  expect(answer.status).toBe("warn");
  expect(answer.found).toContain(
    loss === "nothing" ? `${PREFIX} is not whole ('up' ended at: ` : "without a state",
  );
  expect(answer.advice).toContain(`npm run deploy -- down --prefix ${PREFIX}`);
}

function expectNothingLeft(): void {
  expect(processesOf(deployment.folder)).toEqual([]);
  expect(existsSync(deployment.folder)).toBe(false);
  expect(existsSync(`${deployment.folder}.lock`)).toBe(false);
  expect(findDeployments().filter(({ prefix }) => prefix === PREFIX)).toEqual([]);
}

/** Says in an account that a deploy has been done and does not return. */
const HELD = ".held";

async function untilHeld(account: string): Promise<void> {
  await expect.poll(() => existsSync(join(account, HELD)), { timeout: 120_000, interval: 50 }).toBe(true);
}

/**
 * A wrangler whose network is a folder, with a file for each Worker and Workflow. The deploy of the given number does its
 * work, and then waits for the end of who called it. Returns the environment for the kit.
 */
function wranglerFor(account: string, { url, holdAt }: { url: string; holdAt: number }): NodeJS.ProcessEnv {
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(account, { recursive: true });
  mkdirSync(join(dir, "tmp"), { recursive: true });
  writeFileSync(
    join(bin, "wrangler"),
    `#!${process.execPath}
const fs = require("node:fs");
const { join } = require("node:path");
const args = process.argv.slice(2);
const account = ${JSON.stringify(account)};
const tell = (event) => fs.appendFileSync(process.env.WRANGLER_OUTPUT_FILE_PATH, JSON.stringify({ version: 1, ...event }) + "\\n");
const remove = (name) => {
  if (fs.existsSync(join(account, name))) return fs.rmSync(join(account, name));
  tell({ type: "command-failed", message: "This Worker does not exist on your account. [code: 10090]" });
  process.exitCode = 1;
};
if (args[0] === "deploy") {
  const config = JSON.parse(fs.readFileSync(args[args.indexOf("--config") + 1], "utf8"));
  for (const { service } of config.services ?? [])
    if (!fs.existsSync(join(account, service))) {
      tell({ type: "command-failed", message: "Could not resolve service binding to '" + service + "'" });
      process.exit(1);
    }
  for (const { name } of [config, ...(config.workflows ?? [])]) fs.writeFileSync(join(account, name), "");
  fs.appendFileSync(${JSON.stringify(`${account}.deploys`)}, config.name + "\\n");
  const number = fs.readFileSync(${JSON.stringify(`${account}.deploys`)}, "utf8").trim().split("\\n").length;
  if (number === ${holdAt}) {
    fs.writeFileSync(join(account, ${JSON.stringify(HELD)}), "");
    const caller = process.ppid;
    setInterval(() => process.ppid === caller || process.exit(1), 20);
  } else
    tell({ type: "deploy", worker_name: config.name, version_id: "v" + number, targets: config.workers_dev ? [${JSON.stringify(url)}] : [] });
}
else if (args[0] === "delete") remove(args[1]);
else if (args[0] === "workflows") remove(args[2]);
`,
    { mode: 0o755 },
  );
  return {
    PATH: [bin, process.env.PATH ?? ""].join(delimiter),
    TMPDIR: join(dir, "tmp"),
    // Its certificate is its own.
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    NODE_NO_WARNINGS: "1",
  };
}
