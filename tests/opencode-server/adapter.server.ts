/**
 * The slot itself: what it refuses, that it keeps the run's secret out of every file, and that nothing of it is left when
 * it is stopped.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { loadExperiment } from "../../experiments/registry.ts";
import { LocalRuntime } from "../../scripts/local/local-runtime.ts";
import { installServer } from "../../scripts/local/server/install.ts";
import { SERVER_VERSION } from "../../scripts/local/server/version.ts";
import { chooseHost } from "../../scripts/local/workerd/host-choice.ts";
import { describeEnvironment } from "../../scripts/run/environment.ts";
import { makePlan } from "../../scripts/run/make-plan.ts";
import { EVERYTHING } from "../../scripts/run/selection.ts";
import { call } from "../../src/link/call.ts";
import { SubjectLink } from "../../src/link/subject-link.ts";
import { StatesResponse } from "../../src/trace/protocol/controller-protocol.ts";
import { descendantsOf, isAlive } from "../support/kit.ts";

const host = chooseHost("stand-in");
const SLOT = "server-default";
/** The server is told where its model is: on the slot's own port. */
const ServerConfig = z.object({
  provider: z.object({ fake: z.object({ options: z.object({ baseURL: z.url() }) }) }),
});
let runtime: LocalRuntime;
let slotUrl: string;

beforeAll(async () => {
  const binary = await installServer((sentence) => console.error(sentence));
  runtime = await LocalRuntime.start({
    host,
    slots: [],
    servers: { slots: [SLOT], binary },
    port: null,
    storage: "auto",
    trials: 1,
  });
  const config = join(dirname(runtime.logFile), SLOT, "project/opencode.json");
  slotUrl = new URL(
    ServerConfig.parse(JSON.parse(await readFile(config, "utf8"))).provider.fake.options.baseURL,
  ).origin;
});

afterAll(() => runtime.stop());

const subject = (name: "opencode-server" | "opencode" = "opencode-server") =>
  new SubjectLink({ ...runtime.controller, base: slotUrl }, name, "some-trial");

async function errorOf(promise: Promise<unknown>) {
  return await promise.then(
    () => null,
    (error: unknown) => error,
  );
}

describe("a slot that is a server", () => {
  it("offers no canary and no reset of an object, and says which subjects it has", async () => {
    expect(await errorOf(subject().armWitness({ delayMs: 1, silent: false }))).toMatchObject({
      status: 409,
      code: "canary-not-offered",
    });
    expect(await subject().reset()).toEqual({
      lost: false,
      error: "reset-not-offered: a process is no object: it can be killed or restarted",
    });
    expect(await errorOf(subject("opencode").jobs())).toMatchObject({ status: 404, code: "subject-unknown" });
  });

  it("knows no session of a trial that it did not prepare", async () => {
    expect(await errorOf(subject().transcript("history"))).toMatchObject({
      status: 500,
      code: "subject-failed",
    });
  });

  it("asks for the secret, and for the model's own key where the server speaks to the model", async () => {
    const statuses = await Promise.all(
      ["/subjects/opencode-server/trials/t/jobs", "/model/v1/chat/completions"].flatMap((path) =>
        ["", `Bearer ${runtime.controller.secret}x`].map(
          async (authorization) =>
            (
              await fetch(slotUrl + path, {
                method: path.startsWith("/model") ? "POST" : "GET",
                headers: { authorization },
              })
            ).status,
        ),
      ),
    );
    expect(statuses).toEqual([401, 401, 401, 401]);
  });
});

describe("a run", () => {
  it("leaves its secret in no file of the runtime's folder, and a stop leaves neither folder nor process", async () => {
    for (const name of ["opencode-server", "opencode-server-shell"]) await runBaseline(name);
    const folder = dirname(runtime.logFile);
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const home = files.filter(({ parentPath }) => parentPath.includes(SLOT));
    expect(home.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["opencode.db", "opencode.json", "recovery-kit.json", "recovery-kit.js"]),
    );
    const holding: string[] = [];
    for (const { parentPath, name } of files)
      if ((await readFile(join(parentPath, name))).includes(runtime.controller.secret)) holding.push(name);
    expect(holding).toEqual([]);

    const processes = descendantsOf(process.pid).filter((pid) => runtime.pids().includes(pid));
    expect(processes.toSorted()).toEqual(runtime.pids().toSorted());
    await runtime.stop();
    expect(processes.filter(isAlive)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });
});

async function runBaseline(name: string): Promise<void> {
  const plan = makePlan(loadExperiment("harnesses"), {
    run: "adapter",
    seed: 1,
    repeats: 1,
    quietMs: null,
    settleMs: 0,
    host: "stand-in",
    only: { ...EVERYTHING, names: new Set([`${name}/none/none/append/reissue`]) },
    loadPerSecond: 0,
    commandLine: [],
  });
  const spec = { ...plan.specs[0]!, trial: `adapter-${name}` };
  expect(spec.slot).toBe(SLOT);
  const environment = await describeEnvironment({
    host,
    server: SERVER_VERSION,
    bundles: runtime.bundles.values(),
    storage: runtime.storage,
    commandLine: [],
    seed: 1,
    startedAt: new Date(),
  });
  await call(runtime.controller, "POST", "/trials", z.unknown(), { body: { spec, environment } });
  for (;;) {
    const body = { trials: [spec.trial], workflows: true };
    const { states } = await call(runtime.controller, "POST", "/trials/states", StatesResponse, { body });
    const ended = states[0]?.ended ?? null;
    if (ended !== null) return expect(ended).toBe("completed");
    await delay(200);
  }
}
