/**
 * The HTTP protocols of the three Workers in real workerd: one admission check for all, strict about what they take, and
 * one clear sentence for every refusal. (What the ledger refuses of a trial is tested beside the ledger.)
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localFetch } from "../scripts/local/process/local-fetch.ts";
import { pickPorts } from "../scripts/local/process/ports.ts";
import type { WorkerBundle, WorkerRole } from "../scripts/local/workerd/bundle.ts";
import { bundleCacheFolder, getBundles } from "../scripts/local/workerd/get-bundles.ts";
import { chooseHost } from "../scripts/local/workerd/host-choice.ts";
import { WorkerProcess } from "../scripts/local/workerd/worker-process.ts";
import { RECORD_BYTES_MAX } from "../src/trace/protocol/ledger-protocol.ts";
import { ErrorBody } from "../src/trace/protocol/refusals.ts";

const SECRET = "a-secret-for-tests-only";
const ROLES = ["subject", "controller", "ledger"] as const satisfies WorkerRole[];
type Role = (typeof ROLES)[number];
const PATHS: Record<Role, string> = {
  subject: "/subjects/opencode/trials/t1/jobs",
  controller: "/trials/t1/journal?after=0&limit=1",
  ledger: "/trials/t1/journal?after=0&limit=1",
};
/** Where each takes a body. */
const BODY_PATHS: Record<Role, string> = {
  subject: "/subjects/opencode/trials/t1/submit",
  controller: "/trials",
  ledger: "/trials/t1/records",
};
/** One byte more than each takes. */
const BYTES_TOO_MANY: Record<Role, number> = {
  subject: 64 * 1024 + 1,
  controller: 1024 * 1024 + 1,
  ledger: RECORD_BYTES_MAX + 1,
};

let dir: string;
let bundles: WorkerBundle[];
const running: WorkerProcess[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  const made = await getBundles(ROLES, {
    host: chooseHost("stand-in"),
    workDir: join(dir, "bundles"),
    cacheFolder: bundleCacheFolder(),
  });
  bundles = ROLES.map((role) => made[role]);
}, 60_000);

afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()));
  await rm(dir, { recursive: true, force: true });
});

/** Starts one process with the Workers. Nobody listens behind their other bindings, and nobody needs to. */
async function start(secret: string): Promise<Map<Role, string>> {
  const [deadPort = 0, ...ports] = await pickPorts(1 + ROLES.length, null);
  const process = new WorkerProcess({
    secret,
    build: null,
    persistDir: join(dir, `storage-${running.length}`),
    onOutput: () => undefined,
    onDied: () => undefined,
    workers: bundles.map((bundle, index) => ({
      bundle,
      port: ports[index] ?? 0,
      remote: bundle.role === "ledger" ? {} : { LEDGER: deadPort },
    })),
  });
  running.push(process);
  await process.start();
  return new Map(ROLES.map((role, index): [Role, string] => [role, `http://127.0.0.1:${ports[index]}`]));
}

async function refusal(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; code: string; message: string }> {
  const response = await localFetch(url, init);
  const { error } = ErrorBody.parse(await response.json());
  return { status: response.status, ...error };
}

const signed = { authorization: `Bearer ${SECRET}` };

describe("without a usable secret", () => {
  it.each(["", "too-short", "no bearer header can carry this"])(
    "every request is refused (%j)",
    async (secret) => {
      const bases = await start(secret);
      for (const [role, base] of bases) {
        const headers = { authorization: `Bearer ${secret}` };
        expect(await refusal(base + PATHS[role], { headers })).toMatchObject({
          status: 503,
          code: "secret-not-configured",
        });
      }
    },
  );
});

describe("with a secret", () => {
  let bases: Map<WorkerRole, string>;
  const at = (role: WorkerRole, path: string) => `${bases.get(role)}${path}`;
  beforeAll(async () => {
    bases = await start(SECRET);
  });

  it.each(ROLES)("%s refuses a request without it, and one with another", async (role) => {
    for (const authorization of [
      null,
      "Bearer another-secret-of-some-length",
      `Bearer ${SECRET}x`,
      `Basic ${SECRET}`,
    ]) {
      const headers: Record<string, string> = authorization === null ? {} : { authorization };
      expect(await refusal(at(role, PATHS[role]), { headers })).toMatchObject({
        status: 401,
        code: "secret-wrong",
      });
    }
  });

  it.each(ROLES)("%s refuses a method that no protocol has, wherever it is sent", async (role) => {
    for (const method of ["DELETE", "PATCH", "OPTIONS"])
      for (const path of [PATHS[role], "/elsewhere"])
        expect(await refusal(at(role, path), { method, headers: signed })).toMatchObject({
          status: 405,
          code: "method-unknown",
        });
  });

  it.each([
    ["subject", "GET", "/subjects/nobody/trials/t1/jobs", 404, "subject-unknown"],
    ["subject", "GET", "/subjects/opencode/trials/T1/jobs", 400, "trial-id-invalid"],
    ["subject", "GET", "/elsewhere", 404, "route-unknown"],
    ["controller", "GET", "/trials/T1/journal?after=0&limit=1", 400, "trial-id-invalid"],
    ["controller", "GET", "/trials/t1/journal?after=-1&limit=1", 400, "query-invalid"],
    ["controller", "POST", "/trials", 400, "body-not-json"],
    ["controller", "GET", "/elsewhere", 404, "route-unknown"],
  ] as const)("%s answers %s %s with %i %s", async (role, method, path, status, code) => {
    expect(await refusal(at(role, path), { method, headers: signed })).toMatchObject({ status, code });
  });

  it.each(ROLES)("%s refuses a body that is too large, announced or not", async (role) => {
    const body = "x".repeat(BYTES_TOO_MANY[role]);
    const announced = { body };
    const chunked = { body: new Blob([body]).stream(), duplex: "half" as const };
    for (const init of [announced, chunked]) {
      const answer = await refusal(at(role, BODY_PATHS[role]), { method: "POST", headers: signed, ...init });
      expect(answer).toMatchObject({ status: 413, code: "body-too-large" });
    }
  });

  it("names the field of a trial that does not fit", async () => {
    const body = JSON.stringify({ spec: { trial: "Not An Id" }, environment: {} });
    const answer = await refusal(at("controller", "/trials"), { method: "POST", headers: signed, body });
    expect(answer).toMatchObject({ status: 400, code: "body-invalid" });
    expect(answer.message).toContain("spec.trial");
  });
});
