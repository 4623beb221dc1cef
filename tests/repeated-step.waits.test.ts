/**
 * A Workflow step that the engine runs again, because the controller was lost in it, does not do again what is recorded
 * already. The journal cannot show that, since it takes a record once in any case: the subject's side of the wire does. So
 * controller, ledger and engine are real, and the subject is a listener that counts what it is asked.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { loadExperiment } from "../experiments/registry.ts";
import { localFetch } from "../scripts/local/process/local-fetch.ts";
import { pickPorts } from "../scripts/local/process/ports.ts";
import { bundleCacheFolder, getBundles } from "../scripts/local/workerd/get-bundles.ts";
import { chooseHost } from "../scripts/local/workerd/host-choice.ts";
import { WorkerProcess } from "../scripts/local/workerd/worker-process.ts";
import { describeEnvironment } from "../scripts/run/environment.ts";
import { makePlan } from "../scripts/run/make-plan.ts";
import { EVERYTHING } from "../scripts/run/selection.ts";
import { slotBindingName } from "../src/controller/slots.ts";
import { call, type Peer } from "../src/link/call.ts";
import { LedgerLink } from "../src/link/ledger-link.ts";
import { StatesResponse, type TrialState } from "../src/trace/protocol/controller-protocol.ts";
import type { PrepareResponse, WitnessResponse } from "../src/trace/protocol/subject-protocol.ts";

const host = chooseHost("stand-in");
const SECRET = "secret-of-this-test";
/** The last word of each request's path but for a trial's id, which is the witness's. */
const asked: string[] = [];
/** How many of the witness's requests are left without an answer. */
let unanswered = 1;

const subject = createServer((request, response) => {
  request.resume();
  const what = request.url?.startsWith("/witnesses/") === true ? "witness" : request.url?.split("/").at(-1);
  asked.push(what ?? "");
  const answer = (status: number, body: unknown) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  if (what === "prepare")
    answer(200, { activation: "first", generation: 1, session: "session" } satisfies PrepareResponse);
  else if (what !== "witness")
    answer(500, { error: { code: "nothing-else", message: "it does nothing else" } });
  else if (unanswered > 0) unanswered--;
  else answer(200, { dueAt: Date.now() + 60_000 } satisfies WitnessResponse);
});

let dir: string;
let lab: WorkerProcess;
let controller: Peer;
let ledger: Peer;
let bundles: Awaited<ReturnType<typeof getBundles<"subject" | "ledger" | "controller">>>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  const [controllerPort = 0, ledgerPort = 0, subjectPort = 0] = await pickPorts(3, null);
  await once(subject.listen(subjectPort, "127.0.0.1"), "listening");
  bundles = await getBundles(["subject", "ledger", "controller"], {
    host,
    workDir: join(dir, "bundles"),
    cacheFolder: bundleCacheFolder(),
  });
  lab = new WorkerProcess({
    secret: SECRET,
    build: null,
    persistDir: join(dir, "lab"),
    onOutput: () => undefined,
    onDied: () => undefined,
    workers: [
      {
        bundle: bundles.controller,
        port: controllerPort,
        remote: { [slotBindingName("default")]: subjectPort },
      },
      { bundle: bundles.ledger, port: ledgerPort, remote: {} },
    ],
  });
  await lab.start();
  controller = { fetch: localFetch, base: `http://127.0.0.1:${controllerPort}`, secret: SECRET };
  ledger = { fetch: localFetch, base: `http://127.0.0.1:${ledgerPort}`, secret: SECRET };
}, 60_000);

afterAll(async () => {
  await lab.stop();
  subject.closeAllConnections();
  subject.close();
  await rm(dir, { recursive: true, force: true });
});

it("skips the acts of a repeated step that are recorded, and does the others", {
  timeout: 60_000,
}, async () => {
  const plan = makePlan(loadExperiment("recovery"), {
    run: "repeated",
    seed: 1,
    repeats: 1,
    quietMs: null,
    settleMs: 1_000,
    host: "stand-in",
    only: EVERYTHING,
    loadPerSecond: 0,
    commandLine: [],
  });
  const planned = plan.specs.find(({ factors }) => factors.point === "none")!;
  const spec = { ...planned, slot: "default" };
  const environment = await describeEnvironment({
    host,
    bundles: Object.values(bundles),
    storage: "disk",
    commandLine: [],
    seed: 1,
    startedAt: new Date(),
  });
  await call(controller, "POST", "/trials", z.unknown(), { body: { spec, environment } });
  // The act before it is recorded before it is asked for.
  await expect.poll(() => asked, { timeout: 20_000 }).toEqual(["prepare", "witness"]);

  await lab.stop();
  await lab.start();

  // A look at it has the engine load it.
  const state = async (): Promise<TrialState | undefined> => {
    const body = { trials: [spec.trial], workflows: true };
    return (await call(controller, "POST", "/trials/states", StatesResponse, { body })).states[0];
  };
  while (((await state())?.ended ?? null) === null) await delay(100);

  expect(asked).toEqual(["prepare", "witness", "witness", "submit"]);
  const link = new LedgerLink(ledger, spec.trial);
  expect(await link.recorded("marker")).toMatchObject({ type: "marker.written", activation: "first" });
  expect(await link.recorded("canary")).toMatchObject({ type: "canary.armed" });
  expect(await link.recorded("submit:first")).toMatchObject({ error: "it does nothing else" });
});
