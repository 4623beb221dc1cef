/**
 * The subject's and the controller's HTTP protocols in real workerd: closed without the secret, strict about what they
 * take, and one clear sentence for every refusal. (The ledger's are tested beside the ledger.)
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localFetch } from "../scripts/local/process/local-fetch.ts";
import { pickPorts } from "../scripts/local/process/ports.ts";
import { bundleWorker, type WorkerBundle, type WorkerRole } from "../scripts/local/workerd/bundle.ts";
import { chooseHost } from "../scripts/local/workerd/host-choice.ts";
import { WorkerProcess } from "../scripts/local/workerd/worker-process.ts";
import { ErrorBody } from "../src/trace/protocol/refusals.ts";

const SECRET = "a-secret-for-tests-only";
const ROLES: WorkerRole[] = ["subject", "controller"];
const PATHS: Record<string, string> = {
  subject: "/subjects/opencode/trials/t1/jobs",
  controller: "/trials/t1/journal?after=0&limit=1",
};

let dir: string;
let bundles: WorkerBundle[];
const running: WorkerProcess[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  bundles = await Promise.all(
    ROLES.map((role) => bundleWorker(role, chooseHost("stand-in"), join(dir, "bundles"))),
  );
}, 60_000);

afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()));
  await rm(dir, { recursive: true, force: true });
});

/** Starts one process with both Workers. Nobody listens behind their other bindings, and nobody needs to. */
async function start(secret: string): Promise<Map<string, string>> {
  const [subjectPort = 0, controllerPort = 0, deadPort = 0] = await pickPorts(3, null);
  const ports = [subjectPort, controllerPort];
  const process = new WorkerProcess({
    secret,
    build: null,
    persistDir: join(dir, `storage-${running.length}`),
    onOutput: () => undefined,
    workers: bundles.map((bundle, index) => ({
      bundle,
      port: ports[index] ?? 0,
      remote: { LEDGER: deadPort },
    })),
  });
  running.push(process);
  await process.start();
  return new Map(ROLES.map((role, index) => [role, `http://127.0.0.1:${ports[index]}`]));
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
  it.each(["", "too-short"])("every request is refused (%j)", async (secret) => {
    const bases = await start(secret);
    for (const [role, base] of bases) {
      const headers = { authorization: `Bearer ${secret}` };
      expect(await refusal(base + PATHS[role], { headers })).toMatchObject({
        status: 503,
        code: "secret-not-configured",
      });
    }
  });
});

describe("with a secret", () => {
  let bases: Map<string, string>;
  const at = (role: WorkerRole, path: string) => `${bases.get(role)}${path}`;
  beforeAll(async () => {
    bases = await start(SECRET);
  });

  it.each(["subject", "controller"])(
    "%s refuses a request without it, and one with another",
    async (role) => {
      const url = `${bases.get(role)}${PATHS[role]}`;
      for (const headers of [{}, { authorization: "Bearer another-secret-of-some-length" }])
        expect(await refusal(url, { headers })).toMatchObject({ status: 401, code: "wrong-secret" });
    },
  );

  it.each([
    ["subject", "GET", "/subjects/nobody/trials/t1/jobs", 404, "unknown-subject"],
    ["subject", "GET", "/subjects/opencode/trials/T1/jobs", 400, "bad-trial-id"],
    ["subject", "GET", "/elsewhere", 404, "unknown-path"],
    ["controller", "GET", "/trials/T1/journal?after=0&limit=1", 400, "bad-request"],
    ["controller", "GET", "/trials/t1/journal?after=-1&limit=1", 400, "bad-request"],
    ["controller", "POST", "/trials", 400, "bad-json"],
    ["controller", "GET", "/elsewhere", 404, "unknown-path"],
  ] as const)("%s answers %s %s with %i %s", async (role, method, path, status, code) => {
    expect(await refusal(at(role, path), { method, headers: signed })).toMatchObject({ status, code });
  });

  it.each(["subject", "controller"] as const)("%s refuses a body that is too large", async (role) => {
    const path = role === "subject" ? "/subjects/opencode/trials/t1/submit" : "/trials";
    const body = "x".repeat(2 * 1024 * 1024);
    expect(await refusal(at(role, path), { method: "POST", headers: signed, body })).toMatchObject({
      status: 413,
      code: "too-large",
    });
  });

  it("names the field of a trial that does not fit", async () => {
    const body = JSON.stringify({ spec: { trial: "Not An Id" }, environment: {} });
    const answer = await refusal(at("controller", "/trials"), { method: "POST", headers: signed, body });
    expect(answer).toMatchObject({ status: 400, code: "bad-request" });
    expect(answer.message).toContain("spec.trial");
  });
});
