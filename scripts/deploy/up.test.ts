import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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

it("writes no new code while an update is put off: a rehearsal would take it at once", async () => {
  const options = { slots: ["default"], present: ROLES, isPublic: false, hasModels: false, builds: 1 };
  const { config } = await placeWorker(deployment, { role: "subject", script: "export default {}" }, options);
  const code = () => readFileSync(join(config, "..", "index.js"), "utf8");
  const before = code();
  const seen: string[] = [];
  const platform: Platform = {
    kind: "rehearsal",
    verify: async () => undefined,
    putOff: async () => void seen.push(code()),
    put: async () => {
      seen.push(code());
      return { version: null, url: null, process: null, mechanism: "put" };
    },
    remove: async () => [],
    pidOf: () => null,
  };
  await redeploySubject(deployment, platform, { mode: "deferred", maxS: 5 });
  const [waiting, put] = seen;
  expect(waiting).toBe(before);
  expect(put).not.toBe(before);
});

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
