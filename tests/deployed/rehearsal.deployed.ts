/**
 * A deployment from its beginning to its end, rehearsed by real `wrangler dev` processes and handled by the command line as a
 * user would: it comes up, a run on it is judged, strangers change nothing, and nothing of it is left. One deployment
 * serves all tests of this file, in their order, since it takes long to come up.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DeployState, requireReady } from "../../scripts/deploy/deploy-state.ts";
import { processesOf } from "../../scripts/deploy/deployed-processes.ts";
import { deploymentOf } from "../../scripts/deploy/deployment.ts";
import { RunResult } from "../../scripts/present/json-result.ts";
import { parseTraceBytes, readTrace } from "../../scripts/stored/read-trace.ts";
import { ErrorBody } from "../../src/trace/protocol/refusals.ts";
import { ofType } from "../../src/trace/records.ts";
import { type Ended, kit } from "../support/kit.ts";
import { hasProc, isListenedTo, survivors } from "../support/processes.ts";

const PREFIX = `rkit-test-${process.pid}`;
const RUN = "rehearsed";
const CONDITION = "opencode/after-commit/redeploy/append/reissue";
/** Largest body that the controller takes. */
const BODY_BYTES_MAX = 1024 * 1024;
const REQUESTS = 10_000;
/** Names the requests: the same number sends the same ones. */
const SEED = 20_261_203;
const AT_ONCE = 16;
const LONG = { timeout: 600_000 };

const deployment = deploymentOf(PREFIX);
let traces: string;

beforeAll(async () => {
  traces = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
});
afterAll(async () => {
  await rm(traces, { recursive: true, force: true });
  if (existsSync(deployment.folder)) await deploy("down");
}, 60_000);

it("comes up as three processes, with a secret that only its owner can read", LONG, async () => {
  const { code, stdout, stderr } = await deploy(
    "up",
    "--rehearse",
    "--host",
    "stand-in",
    "--max-trials",
    "5",
  );
  expect(stderr).toContain(`putting ${PREFIX}-subject there (4 of 4)`);
  expect(stdout).toContain(`Deployment ${PREFIX}: rehearsal on this machine · ready`);
  expect(code).toBe(0);
  expect(statSync(join(deployment.folder, "secret.env")).mode & 0o777).toBe(0o600);
  expect((await deploy("status")).stdout).toContain("Controller: answers");
});

it(
  "carries out a run, whose traces say that it was rehearsed and are judged like all others",
  LONG,
  async () => {
    const only = "reset=redeploy,point=after-commit,destination=append";
    const ended = await deploy(
      ...["run", "recovery", "--only", only, "--run-id", RUN, "--traces", traces, "--json"],
    );
    const { trials } = RunResult.parse(JSON.parse(ended.stdout));
    expect(trials.map(({ condition, outcome }) => [condition, outcome]).toSorted()).toEqual(
      [CONDITION, ...CANARIES].toSorted().map((condition) => [condition, "as-expected"]),
    );
    expect(ended.code).toBe(0);
    for (const { trial, verdict } of trials) {
      expect(verdict.validity.value).toBe("valid");
      const { header, isWhole } = readTrace(traceOf(trial ?? ""));
      expect(header?.environment).toMatchObject({ mode: "deployed", runtime: "rehearsal" });
      expect(isWhole).toBe(true);
    }
    const subject = readTrace(traceOf(await subjectTrial()));
    expect(ofType(subject.records, "request.ended")).toMatchObject([
      { end: "failed", status: null, error: "Network connection lost." },
    ]);
    const judged = await kit("judge", join(traces, RUN), "--json");
    expect(RunResult.parse(JSON.parse(judged.stdout)).trials).toEqual(trials);
    expect(judged.code).toBe(0);
  },
);

it("spends no more trials than it was given", async () => {
  const before = ready().state.spent;
  expect(before.trials).toBe(5);
  const { code, stderr } = await deploy("run", "recovery", "--only", "reset=abort", "--traces", traces);
  expect(stderr).toMatch(/trials are more than the 0 that deployment '[^']+' has left of 5; select fewer/);
  expect(code).toBe(2);
  expect(ready().state.spent).toEqual(before);
});

it("answers 401 to whoever has no secret or a wrong one, and nothing changes", async () => {
  const trial = await subjectTrial();
  const cancel = { method: "POST", path: `/trials/${trial}/cancel`, body: CANCEL };
  const { secret } = ready();
  for (const authorization of [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    secret,
    `Basic ${secret}`,
    `Bearer ${secret.slice(1)}`,
    `Bearer ${secret}0`,
    `Bearer ${secret.toUpperCase()}0`,
    `Bearer ${"0".repeat(secret.length)}`,
  ]) {
    for (const sent of [
      cancel,
      { method: "GET", path: "/health" },
      { method: "GET", path: "/no-such-route" },
    ]) {
      const answer = await send({ ...sent, authorization });
      expect([authorization?.length, sent.path, answer.status]).toEqual([
        authorization?.length,
        sent.path,
        401,
      ]);
      expect(codeOf(answer)).toBe("secret-wrong");
    }
  }
  await expectJournalUnchanged(trial);
});

it("answers 404 for a trial of another run", async () => {
  const other = "another-run-001";
  for (const [method, path, body] of [
    ["GET", `/trials/${other}/journal?after=0&limit=10`, undefined],
    ["POST", `/trials/${other}/cancel`, CANCEL],
    ["POST", `/trials/${other}/halt`, JSON.stringify({ subject: "opencode" })],
  ] as const) {
    const answer = await send({ method, path, body, authorization: bearer() });
    expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, "trial-unknown"]);
  }
});

it.each(["with its length", "in chunks"])("answers 413 to a body that is too large, sent %s", async (how) => {
  const trial = await subjectTrial();
  const answer = await send({
    method: "POST",
    path: `/trials/${trial}/cancel`,
    body: Buffer.alloc(BODY_BYTES_MAX + 1, 0x20),
    isChunked: how === "in chunks",
    authorization: bearer(),
  });
  expect([answer.status, codeOf(answer)]).toEqual([413, "body-too-large"]);
  await expectJournalUnchanged(trial);
});

it(`keeps its journals whole through ${REQUESTS} random requests`, LONG, async () => {
  const trial = await subjectTrial();
  const header = JSON.parse(linesOf(trial)[0] ?? "");
  const requests = fc.sample(anyRequest(trial, header), { numRuns: REQUESTS, seed: SEED });
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  const next = requests.values();
  const sendOnAndOn = async () => {
    for (const one of next) {
      const { status, text } = await send(one);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // What the ledger does not take down any more, the model does not answer.
      const isUnanswered = status === 503 && one.path.startsWith("/model/");
      if (status >= 500 && !isUnanswered)
        faults.push(`${status} ${text.slice(0, 300)} to ${JSON.stringify(one).slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendOnAndOn));
  // Whoever faces it may see a refusal, never a fault.
  expect(faults.slice(0, 10)).toEqual([]);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  // They reached what they were meant to reach.
  for (const status of [200, 400, 401, 404]) expect(statuses.get(status) ?? 0).toBeGreaterThan(100);
  for (const { trial: one } of ready().state.runs.flatMap((run) => run.trials))
    await expectJournalUnchanged(one);
});

it("is restarted as another build, and answers again", LONG, async () => {
  const before = ready().state;
  const pids = processesOf(deployment.folder).map(({ pid }) => pid);
  const { code, stdout } = await deploy("restart");
  expect(stdout).toContain(`The subject was deployed again: new code (build-${before.builds + 1})`);
  expect(code).toBe(0);
  expect(ready().state.builds).toBe(before.builds + 1);
  if (hasProc) expect(processesOf(deployment.folder).map(({ pid }) => pid)).not.toEqual(pids);
  expect((await deploy("status")).stdout).toContain("Controller: answers");
});

it("is stopped by the kill switch, which leaves the records as they were", LONG, async () => {
  const { code, stdout } = await deploy("stop");
  expect(stdout).toContain("Stopped. Trials that this ended: 0, that had ended: 5, that had not begun: 0.");
  expect(code).toBe(0);
  await expectJournalUnchanged(await subjectTrial());
});

it("goes down without leaving a process, a port, a state or a folder", LONG, async () => {
  const running = processesOf(deployment.folder);
  const { ports } = ready().state;
  expect(running.length).toBeGreaterThanOrEqual(3);
  const { code, stdout } = await deploy("down");
  expect(stdout).toBe(
    `Removed ${PREFIX}-ledger, ${PREFIX}-subject, ${PREFIX}-controller; its folder is gone.\n`,
  );
  expect(code).toBe(0);
  expect(survivors(running)).toEqual([]);
  expect(processesOf(deployment.folder)).toEqual([]);
  expect(existsSync(deployment.folder)).toBe(false);
  expect(existsSync(`${deployment.folder}.lock`)).toBe(false);
  if (hasProc) expect((ports ?? []).filter(isListenedTo)).toEqual([]);
  // Once more is no mistake.
  expect(await deploy("down")).toMatchObject({
    code: 0,
    stdout: "No Worker was there; there was no folder.\n",
  });
  expect((await deploy("status")).stdout).toContain(`Nothing is known of '${PREFIX}'`);
});

const CANCEL = JSON.stringify({ reason: "cancelled", detail: "by a stranger" });

const CANARIES = [
  "canary-amnesia/after-commit/abort/append/reissue",
  "canary-claim/model-request/abort/append/reissue",
  "canary-replay/after-commit/abort/append/reissue",
  "canary-sleeper/after-commit/abort/append/reissue",
];

function deploy(command: string, ...args: string[]): Promise<Ended> {
  return kit("deploy", command, "--prefix", PREFIX, ...args);
}

function ready(): { state: DeployState; secret: string } {
  return requireReady(deployment);
}

function bearer(): string {
  return `Bearer ${ready().secret}`;
}

/** The trial of the run that is no canary. */
async function subjectTrial(): Promise<string> {
  const found = ready()
    .state.runs.flatMap(({ trials }) => trials)
    .find(({ subject }) => subject === "opencode");
  if (found === undefined) throw new Error("the run before has left no trial");
  return found.trial;
}

function traceOf(trial: string): string {
  return join(traces, RUN, `${trial}.jsonl`);
}

/** The header and the records. */
function linesOf(trial: string): string[] {
  return readFileSync(traceOf(trial), "utf8").split("\n").filter(Boolean);
}

/** Every record and no other one, byte for byte and with its chain of hashes, as it was exported. */
async function expectJournalUnchanged(trial: string): Promise<void> {
  const [header = "", ...records] = linesOf(trial);
  let stored = "";
  for (let after = 0; ; ) {
    const path = `/trials/${trial}/journal?after=${after}&limit=100`;
    const { text } = await send({ method: "GET", path, authorization: bearer() });
    const lines = text.split("\n").length - 1;
    if (lines === 0) break;
    stored += text;
    after += lines;
  }
  expect(stored.split("\n").filter(Boolean)).toEqual(records);
  expect(parseTraceBytes(Buffer.from(`${header}\n${stored}`)).isWhole).toBe(true);
}

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly body?: string | Buffer | undefined;
  readonly isChunked?: boolean;
  readonly authorization?: string | undefined;
};
type Answer = { readonly status: number; readonly text: string };

/** Node's own client sends what fetch would refuse or mend. It is told of the chunks, or it would send a GET's body without a frame. */
function send({ method, path, body, isChunked = false, authorization }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined
        ? {}
        : isChunked
          ? { "transfer-encoding": "chunked" }
          : { "content-length": Buffer.byteLength(body) }),
    };
    const { controllerUrl } = ready().state;
    const outgoing = request(`${controllerUrl}${path}`, { method, headers }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      incoming.once("error", reject);
      incoming.once("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

function codeOf({ text }: Answer): string {
  return ErrorBody.parse(JSON.parse(text)).error.code;
}

/**
 * Requests of all kinds: routes that there are and others, for the trial and for unknown ones, with bodies that are right,
 * nearly right and nothing at all. None of them may start a trial: where the body is right, the trial is there already.
 */
function anyRequest(trial: string, header: { spec: object; environment: object }): fc.Arbitrary<Sent> {
  const text = fc.string({ maxLength: 12, unit: "grapheme" }).map(encodeURIComponent);
  const name = fc.oneof(
    { weight: 5, arbitrary: fc.constant(trial) },
    { weight: 1, arbitrary: fc.constantFrom("another-run-001", "..", "%00", "%2e%2e", "a".repeat(300)) },
    { weight: 1, arbitrary: text },
  );
  const query = fc
    .tuple(fc.constantFrom("after", "limit", "life", "x"), fc.oneof(fc.integer().map(String), text))
    .map((pair) => pair.join("="));
  const queries = fc
    .array(query, { maxLength: 3 })
    .map((parts) => (parts.length === 0 ? "" : `?${parts.join("&")}`));
  const path = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(name, fc.constantFrom("resets", "observations", "cancel", "journal", "halt"), queries)
        .map(([one, part, rest]) => `/trials/${one}/${part}${rest}`),
    },
    { weight: 3, arbitrary: fc.constantFrom("/trials", "/trials/states", "/work", "/health") },
    { weight: 1, arbitrary: name.map((one) => `/model/${one}/v1/chat/completions`) },
    { weight: 1, arbitrary: fc.tuple(text, text).map((parts) => `/${parts.join("/")}`) },
  );
  const record = { source: "cli", type: "reset.performed", trial };
  const right: readonly object[] = [
    { spec: header.spec, environment: header.environment },
    { trials: [trial], workflows: true },
    { record },
    { id: "o1", records: [record] },
    JSON.parse(CANCEL),
    { subject: "opencode" },
    { model: "scripted", messages: [{ role: "user", content: "again" }], stream: false },
  ];
  const wrong = fc.constantFrom(null, -1, "", [], {}, true, 1e308, "\u0000");
  const nearlyRight = fc
    .tuple(fc.constantFrom(...right), fc.nat({ max: 40 }), wrong)
    .map(([value, at, other]) => {
      const copy = structuredClone(value) as Record<string, unknown>;
      const keys = Object.keys(copy);
      copy[keys[at % keys.length] ?? ""] = other;
      return JSON.stringify(copy);
    });
  const body = fc.option(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...right).map((value) => JSON.stringify(value)) },
      { weight: 3, arbitrary: nearlyRight },
      { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { nil: undefined, freq: 6 },
  );
  const authorization = fc.oneof(
    { weight: 6, arbitrary: fc.constant(bearer()) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, "Bearer x", `${bearer()}0`) },
  );
  const method = fc.constantFrom("GET", "GET", "POST", "POST", "POST", "PUT", "DELETE", "PATCH");
  return fc.record({ method, path, body, isChunked: fc.boolean(), authorization });
}
