/** Requests that are wrong in themselves: each refusal has its code, says what was expected, and records nothing. */
import { request as httpRequest } from "node:http";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ATTEMPT_BYTES_MAX, RECORD_BYTES_MAX } from "../../src/trace/protocol/ledger-protocol.ts";
import {
  attemptBody,
  config,
  modelCallBody,
  phase,
  refusal,
  startedDraft,
  Trial,
} from "./support/ledger-client.ts";
import { bundleLedger, COMPATIBILITY, type Lab, SECRET, startLab } from "./support/ledger-lab.ts";

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab.dispose());

const HOLD = { point: "after-commit", occurrence: 5 } as const;
const endBody = { source: "controller", reason: "completed", detail: null };
const lookUpBody = { action: "ticket", key: null, activation: "a", session: "s", call: "c" };
const record = (draft: unknown) => ({ id: "x", record: draft });

type Case = [
  what: string,
  method: string,
  path: string,
  body: unknown,
  status: number,
  code: string,
  says: RegExp,
];

/** Against a trial that has started and was attempted once. */
const STARTED: Case[] = [
  [
    "another configuration",
    "PUT",
    "",
    config({ destination: "unique" }),
    409,
    "trial-exists",
    /configuration/,
  ],
  [
    "a configuration with a hold named twice",
    "PUT",
    "",
    config({ holds: [HOLD, HOLD] }),
    400,
    "body-invalid",
    /holds: expected each hold once/,
  ],
  [
    "an unknown level",
    "PUT",
    "",
    { ...config(), destination: "both" },
    400,
    "body-invalid",
    /body\.destination: .*expected.*"append"/,
  ],
  [
    "a second trial.started",
    "POST",
    "records",
    record(startedDraft("started")),
    409,
    "trial-already-started",
    /trial\.started/,
  ],
  [
    "a record of the ledger",
    "POST",
    "records",
    record({ source: "ledger", type: "attempt.rejected", attempt: 1, reason: "no" }),
    403,
    "source-not-allowed",
    /ledger may not/,
  ],
  [
    "a record of somebody else's",
    "POST",
    "records",
    record({ ...phase("quiet"), source: "subject" }),
    403,
    "source-not-allowed",
    /subject may not/,
  ],
  [
    "an effect claimed by the controller",
    "POST",
    "records",
    record({ source: "controller", type: "attempt.rejected", attempt: 1, reason: "no" }),
    403,
    "source-not-allowed",
    /controller may not/,
  ],
  [
    "an end that the ledger did not compute",
    "POST",
    "records",
    record({
      source: "controller",
      type: "trial.ended",
      reason: "completed",
      detail: null,
      openAttempts: [],
    }),
    403,
    "source-not-allowed",
    /\/end/,
  ],
  [
    "an unknown record type",
    "POST",
    "records",
    record({ source: "controller", type: "phase.left" }),
    400,
    "body-invalid",
    /body\.record\.type: no known type/,
  ],
  [
    "an unknown field",
    "POST",
    "records",
    record({ ...phase("quiet"), extra: 1 }),
    400,
    "body-invalid",
    /body\.record: .*"extra"/,
  ],
  [
    "a record without id",
    "POST",
    "records",
    { record: phase("quiet") },
    400,
    "body-invalid",
    /body\.id: .*expected string/,
  ],
  [
    "an attempt without call",
    "POST",
    "attempts",
    attemptBody({ call: "" }),
    400,
    "body-invalid",
    /body\.call: .*expected/,
  ],
  [
    "an action with a space",
    "POST",
    "attempts",
    attemptBody({ action: "a b" }),
    400,
    "body-invalid",
    /body\.action: use 1-120/,
  ],
  [
    "a look-up with a number for a key",
    "POST",
    "look-ups",
    { ...lookUpBody, key: 1 },
    400,
    "body-invalid",
    /body\.key: .*expected string/,
  ],
  [
    "a model call of unknown purpose",
    "POST",
    "model-calls",
    modelCallBody({ purpose: "chat" }),
    400,
    "body-invalid",
    /body\.purpose: .*"turn"/,
  ],
  ["a stream of an unknown call", "POST", "model-streams", { call: 9 }, 404, "call-unknown", /9/],
  [
    "a release of an unknown hold",
    "POST",
    "releases",
    { hold: { ...HOLD, occurrence: 6 }, how: "drop" },
    404,
    "hold-unknown",
    /after-commit\/6/,
  ],
  [
    "the opposite of an earlier release",
    "POST",
    "releases",
    { hold: { ...HOLD, occurrence: 1 }, how: "drop" },
    409,
    "hold-released",
    /proceed/,
  ],
  [
    "an end for an unknown reason",
    "POST",
    "end",
    { ...endBody, reason: "tired" },
    400,
    "body-invalid",
    /body\.reason: .*expected/,
  ],
  [
    "an end by the subject",
    "POST",
    "end",
    { ...endBody, source: "subject" },
    400,
    "body-invalid",
    /body\.source/,
  ],
  [
    "an await without types",
    "GET",
    "await?after=0",
    undefined,
    400,
    "query-invalid",
    /query\.types: .*expected array/,
  ],
  [
    "an await for an unknown type",
    "GET",
    "await?types=phase.left",
    undefined,
    400,
    "query-invalid",
    /phase\.left/,
  ],
  [
    "an await that is too long",
    "GET",
    "await?types=trial.ended&timeoutMs=25001",
    undefined,
    400,
    "query-invalid",
    /query\.timeoutMs: .*25000/,
  ],
  [
    "an await after no number",
    "GET",
    "await?types=trial.ended&after=-1",
    undefined,
    400,
    "query-invalid",
    /query\.after: .*expected number/,
  ],
  [
    "a page that is too long",
    "GET",
    "journal?limit=1001",
    undefined,
    400,
    "query-invalid",
    /query\.limit: .*1000/,
  ],
  ["an unknown parameter", "GET", "journal?from=1", undefined, 400, "query-invalid", /query: .*"from"/],
  ["an unknown route", "POST", "effects", {}, 404, "route-unknown", /route/],
  ["a wrong method", "GET", "attempts", undefined, 404, "route-unknown", /route/],
];

describe("a started trial", () => {
  let trial: Trial;
  let before: string[];
  beforeAll(async () => {
    trial = await new Trial(lab, "started").start({ holds: [HOLD, { ...HOLD, occurrence: 1 }] });
    await trial.release({ ...HOLD, occurrence: 1 }, "proceed");
    await trial.attempt();
    before = await trial.lines();
  });

  it.each(STARTED)(
    "refuses %s and records nothing",
    async (_what, method, path, body, status, code, says) => {
      const answer = refusal(await trial.send(method, path, body));
      expect(answer).toMatchObject({ status, code });
      expect(answer.message).toMatch(says);
      expect(answer.message).toMatch(/^[^\n]+\.$/);
      expect(await trial.lines()).toEqual(before);
      expect(await trial.status()).toMatchObject({ attempts: 1, effects: 1, openAttempts: [] });
    },
  );

  it.each([
    ["not JSON", '{"action": '],
    ["empty", ""],
    ["not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  ])("refuses a body that is %s", async (_what, body) => {
    const response = await trial.fetch("POST", "attempts", { body });
    expect(refusal({ status: response.status, body: await response.json() })).toMatchObject({
      status: 400,
      code: "body-not-json",
    });
    expect(await trial.lines()).toEqual(before);
  });

  it.each([
    ["attempts", ATTEMPT_BYTES_MAX],
    ["records", RECORD_BYTES_MAX],
  ])("refuses a body of %s above its limit before it is parsed, announced or not", async (path, bytesMax) => {
    // Not JSON: had it been parsed first, that would be the complaint.
    const body = "x".repeat(bytesMax + 1);
    const announced = await trial.fetch("POST", path, { body });
    expect(refusal({ status: announced.status, body: await announced.json() })).toMatchObject({
      status: 413,
      code: "body-too-large",
    });
    const chunked = await fetch(trial.address(path), {
      method: "POST",
      headers: { authorization: `Bearer ${SECRET}` },
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(refusal({ status: chunked.status, body: await chunked.json() })).toMatchObject({ status: 413 });
    const allowed = await trial.fetch("POST", path, { body: "x".repeat(bytesMax) });
    expect(refusal({ status: allowed.status, body: await allowed.json() }).code).toBe("body-not-json");
    expect(await trial.lines()).toEqual(before);
  });

  it("passes over the body of a GET, which means nothing in HTTP and which fetch would not send", async () => {
    const body = "means nothing";
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${SECRET}`, "content-length": body.length };
      const outgoing = httpRequest(
        trial.address("journal?after=0&limit=100"),
        { method: "GET", headers },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8").on("data", (piece: string) => {
            text += piece;
          });
          incoming.once("end", () => resolve({ status: incoming.statusCode, text }));
        },
      );
      outgoing.once("error", reject);
      outgoing.end(body);
    });
    expect(answer.status).toBe(200);
    expect(answer.text.split("\n").filter(Boolean)).toHaveLength(before.length);
  });

  it("refuses a record that grows beyond the limit when it is written out", async () => {
    const gaps = Array.from({ length: 40_000 }, () => ({ from: 1, to: 1 }));
    const draft = {
      source: "controller",
      type: "snapshot.log",
      how: "object",
      when: "collect",
      session: "s1",
      after: null,
      events: [],
      synced: null,
      gaps,
      duplicates: [],
      unreadable: 0,
      error: null,
      offered: true,
    };
    // 1e15 takes 4 characters in the request and 16 in the journal.
    const body = JSON.stringify(record(draft)).replaceAll('"to":1}', '"to":1e15}');
    expect(body.length).toBeLessThan(RECORD_BYTES_MAX);
    const response = await trial.fetch("POST", "records", { body });
    const answer = refusal({ status: response.status, body: await response.json() });
    expect(answer).toMatchObject({ status: 413, code: "body-too-large" });
    expect(answer.message).toMatch(/expected a record of at most/);
    expect(await trial.lines()).toEqual(before);
  });
});

/** Announces one byte and sends as many as it is asked for, which only a service binding lets through. */
const LIAR = `
export default {
  async fetch(request, env) {
    const { path, size } = await request.json();
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(size));
        controller.close();
      },
    });
    const headers = { authorization: "Bearer ${SECRET}", "content-length": "1" };
    return env.LEDGER.fetch("https://ledger" + path, { method: "POST", body, headers });
  },
};`;

describe("a body whose announced length is a lie", () => {
  let both: Miniflare;
  beforeAll(async () => {
    both = new Miniflare(
      convertV4MiniflareOptions({
        host: "127.0.0.1",
        log: new Log(LogLevel.NONE),
        workers: [
          {
            name: "liar",
            modules: true,
            script: LIAR,
            ...COMPATIBILITY,
            serviceBindings: { LEDGER: "recovery-kit-ledger" },
          },
          {
            name: "recovery-kit-ledger",
            modules: true,
            script: await bundleLedger(),
            ...COMPATIBILITY,
            bindings: { KIT_SECRET: SECRET },
            durableObjects: {
              TRIAL_LEDGER: { className: "TrialLedger", useSQLite: true },
              RUNNER_BOARD: { className: "RunnerBoard", useSQLite: true },
            },
          },
        ],
      }),
    );
  });
  afterAll(() => both.dispose());

  it.each([
    ["attempts", ATTEMPT_BYTES_MAX],
    ["records", RECORD_BYTES_MAX],
    // The name of a trial is not the name of a request.
    ["", RECORD_BYTES_MAX],
  ])("is measured by what arrives (%s)", async (part, bytesMax) => {
    const path = `/trials/attempts${part === "" ? "" : `/${part}`}`;
    const send = async (size: number) => {
      const response = await fetch(await both.ready, {
        method: "POST",
        body: JSON.stringify({ path, size }),
      });
      return refusal({ status: response.status, body: await response.json() });
    };
    expect(await send(bytesMax + 1)).toMatchObject({ status: 413, code: "body-too-large" });
    expect((await send(bytesMax)).code).not.toBe("body-too-large");
  });
});
