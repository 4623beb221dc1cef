import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DeployState, writeSecret, writeState } from "./deploy-state.ts";
import { type Deployment, deploymentOf, ROLES } from "./deployment.ts";
import { placeWorker } from "./place-workers.ts";
import type { Platform } from "./platform.ts";
import { redeploySubject } from "./up.ts";

let dir: string;
let deployment: Deployment;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "recovery-kit-test-"));
  deployment = deploymentOf("some-prefix", join(dir, "deploy"));
  writeSecret(deployment, "0123456789abcdef0123456789abcdef");
  await writeState(deployment, UP);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const OPTIONS = { slots: ["default"], present: ROLES, isPublic: false, hasModels: false, builds: 1 };
const SUBJECT = { role: "subject" as const, script: "export default {}" };

it.each([{ mode: "immediate" as const }, { mode: "deferred" as const, maxS: 5 }])(
  "leaves the code that runs as it is, since a rehearsal takes what is written there at once (%o)",
  async (update) => {
    const { config } = await placeWorker(deployment, SUBJECT, OPTIONS);
    const running = codeBeside(config);
    const put: string[] = [];
    await redeploySubject(deployment, platformThat(put), update);
    expect(codeBeside(config)).toBe(running);
    expect(put.map(codeBeside)).toEqual([`${SUBJECT.script}\n// build-2\n`]);
  },
);

it("keeps the last two builds of a Worker", async () => {
  const put: string[] = [(await placeWorker(deployment, SUBJECT, OPTIONS)).config];
  for (const update of Array.from({ length: 2 }, () => ({ mode: "immediate" as const })))
    await redeploySubject(deployment, platformThat(put), update);
  expect(put.map((config) => existsSync(config))).toEqual([false, true, true]);
});

function codeBeside(config: string): string {
  return readFileSync(join(config, "..", "index.js"), "utf8");
}

/** Enters the configuration of each Worker that is put there. */
function platformThat(put: string[]): Platform {
  return {
    kind: "rehearsal",
    verify: async () => undefined,
    putOff: async () => undefined,
    put: async ({ config }) => {
      put.push(config);
      return { version: null, url: null, process: null, mechanism: "put" };
    },
    remove: async () => [],
    pidOf: () => null,
  };
}

const UP: DeployState = {
  version: 1,
  prefix: "some-prefix",
  kind: "rehearsal",
  stage: "ready",
  createdAt: "2026-12-03T00:00:00.000Z",
  controllerUrl: "http://127.0.0.1:1",
  ports: [1, 2, 3, 4, 5, 6],
  builds: 1,
  host: { kind: "stand-in", name: "opencode-stand-in", version: "0.1.0" },
  hasModels: false,
  slots: ["default"],
  workers: {},
  caps: { trials: 1, minutes: 1 },
  spent: { trials: 0, minutes: 0 },
  runs: [],
};
