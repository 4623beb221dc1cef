/** The gate in real workerd: what leaves an agent's own Worker, over the real ledger. Nothing here reaches any network. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, type Json, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { config, startedDraft, Trial } from "../ledger-worker/tests/support/ledger-client.ts";
import { bundleLedger, COMPATIBILITY, SECRET } from "../ledger-worker/tests/support/ledger-lab.ts";
import { GateRules } from "../src/gate/gate-rules.ts";
import { taskPrompt } from "../src/model/index.ts";
import type { LedgerConfig } from "../src/trace/protocol/ledger-protocol.ts";
import { ofType, type RecordType } from "../src/trace/records.ts";
import { Script } from "../src/trace/script.ts";

const TITLE = "The tank leaks";
const SCRIPT = Script.parse({
  prompt: "File an issue.",
  steps: [{ call: "create_issue", arguments: { title: TITLE } }, { answer: "Filed." }],
});

let miniflare: Miniflare;
let base: URL;
/** What is allowed to be reached on this machine, and what it was sent. */
let outside: Server;
const reached: { readonly url: string | undefined; readonly headers: readonly string[] }[] = [];
/** A server of TCP that must stay alone. */
const tcp = createTcpServer((socket) => socket.end("from outside"));
let connections = 0;
tcp.on("connection", () => (connections += 1));
const printed: string[] = [];

const listening = async (server: { listen(port: number, host: string, then: () => void): unknown }) =>
  new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  outside = createServer((request, response) => {
    reached.push({ url: request.url, headers: Object.keys(request.headers) });
    response.end("from outside");
  });
  await Promise.all([listening(outside), listening(tcp)]);
  const bundle = async (path: string) => {
    const built = await build({
      entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
      bundle: true,
      format: "esm",
      target: "es2024",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      write: false,
    });
    return built.outputFiles[0]!.text;
  };
  const [ledger, gate, agent, model] = await Promise.all([
    bundleLedger(),
    bundle("../src/gate/index.ts"),
    bundle("gate/workers/agent.ts"),
    bundle("gate/workers/model.ts"),
  ]);
  const worker = (name: string, script: string) => ({
    ...COMPATIBILITY,
    name,
    script,
    modules: true as const,
  });
  const rules = GateRules.parse({
    destinations: [
      {
        match: "POST https://api.example.com/repos/*/issues",
        action: "issue",
        key: { header: "idempotency-key" },
        call: { header: "x-call" },
        receipt: {
          status: 201,
          headers: { location: "/issues/{{attempt}}" },
          body: { number: "{{attempt}}", id: "{{receipt}}", title: "{{body:title}}", repo: "{{star:1}}" },
        },
        rejected: { status: 422, body: { message: "not created" } },
      },
      { match: "PUT https://api.example.com/items/*", action: { body: "action" }, key: { hash: "payload" } },
    ],
    lookUps: [
      {
        match: "GET https://api.example.com/repos/*/issues",
        action: "issue",
        key: { query: "key" },
        found: { body: { total: 1, items: "{{entries}}" } },
        missing: { body: { total: 0, items: [] } },
      },
    ],
    model: [{ match: "POST https://llm.example.com/*", dialect: "chat/completions" }],
    allow: [`* http://127.0.0.1:${portOf(outside)}/*`],
  });
  const options = convertV4MiniflareOptions({
    host: "127.0.0.1",
    workers: [
      {
        ...worker("ledger", ledger),
        bindings: { KIT_SECRET: SECRET },
        durableObjects: {
          TRIAL_LEDGER: { className: "TrialLedger", useSQLite: true },
          RUNNER_BOARD: { className: "RunnerBoard", useSQLite: true },
        },
      },
      ...(["several", "one"] as const).flatMap((name) => [
        {
          ...worker(`gate-${name}`, gate),
          bindings: {
            KIT_SECRET: SECRET,
            RULES: rules as Json,
            ...(name === "one" ? { ONLY_TRIAL: "alone" } : {}),
          },
          serviceBindings: { LEDGER: "ledger", CONTROLLER: "model" },
        },
        {
          ...worker(`agent-${name}`, agent),
          durableObjects: { AGENT: { className: "Agent", useSQLite: true } },
          serviceBindings: { AI: { name: `gate-${name}`, entrypoint: "Ai" } },
          outboundService: `gate-${name}`,
        },
      ]),
      { ...worker("model", model), bindings: { KIT_SECRET: SECRET }, serviceBindings: { LEDGER: "ledger" } },
    ],
  });
  miniflare = new Miniflare({ ...options, handleStructuredLogs: ({ message }) => printed.push(message) });
  base = await miniflare.ready;
});
afterAll(async () => {
  await miniflare.dispose();
  outside.close();
  tcp.close();
});

/** Has the agent send something; the process serves several trials, or one. */
async function send(way: string, asked: object, process: "several" | "one" = "several"): Promise<unknown> {
  const agent = await miniflare.getWorker(`agent-${process}`);
  const answer = await agent.fetch(`http://agent.invalid/${way}`, {
    method: "POST",
    body: JSON.stringify(asked),
  });
  return answer.json();
}

async function begin(name: string, changes: Partial<LedgerConfig> = {}): Promise<Trial> {
  const intended = [{ action: "issue", key: null, effects: 1 }];
  const trial = new Trial({ url: base } as ConstructorParameters<typeof Trial>[0], name);
  await trial.send("PUT", "", config({ intended, ...changes }));
  await trial.append("start", startedDraft(name));
  return trial;
}

/** As what is laid over the agent says it. */
const from = (trial: string) => ({
  "x-kit-trial": trial,
  "x-kit-activation": "a1",
  "x-kit-generation": "1",
  "x-kit-session": "s1",
});
const issue = (trial: string, headers: Record<string, string> = {}) => ({
  url: "https://api.example.com/repos/me/mine/issues",
  init: { method: "POST", headers: { ...from(trial), ...headers }, body: JSON.stringify({ title: TITLE }) },
});
const of = async <T extends RecordType>(trial: Trial, type: T) => ofType(await trial.records(), type);

describe("a request to a destination", () => {
  it("is an attempt with its key, its call and who made it, and its answer is the one that the destination gives", async () => {
    const trial = await begin("attempt");
    const answer = await send("fetch", issue("attempt", { "idempotency-key": "k1", "x-call": "c1" }));
    const [committed] = await of(trial, "effect.committed");
    expect(answer).toEqual({
      status: 201,
      body: JSON.stringify({ number: 1, id: committed?.receipt, title: TITLE, repo: "me/mine" }),
    });
    expect(await of(trial, "attempt.received")).toMatchObject([
      { action: "issue", key: "k1", call: "c1", activation: "a1", generation: 1, session: "s1" },
    ]);
    expect(await trial.types()).toContain("receipt.sent");
  });

  it("is another attempt when it comes again, with another effect at a destination that does not know it again", async () => {
    for (const destination of ["append", "unique"] as const) {
      const trial = await begin(destination, { destination });
      const sent = issue(destination, { "idempotency-key": "k1" });
      const answers = [await send("fetch", sent), await send("fetch", sent)];
      expect((await of(trial, "attempt.received")).map(({ payloadSha256 }) => payloadSha256)[1]).toBe(
        (await of(trial, "attempt.received"))[0]?.payloadSha256,
      );
      const { attempts, effects } = await trial.status();
      expect([attempts, effects]).toEqual([2, destination === "append" ? 2 : 1]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(2);
    }
  });

  it("is held before its effect, and rejected or done at the controller's word", async () => {
    const hold = { point: "before-commit" as const, occurrence: 1 };
    for (const how of ["drop", "proceed"] as const) {
      const trial = await begin(how, { holds: [hold] });
      const answer = send("fetch", issue(how));
      await trial.until("hold.reached");
      expect((await trial.status()).effects).toBe(0);
      await trial.release(hold, how);
      const rejected = { status: 422, body: JSON.stringify({ message: "not created" }) };
      if (how === "drop") expect(await answer).toEqual(rejected);
      else expect(await answer).toMatchObject({ status: 201 });
      expect((await trial.status()).effects).toBe(how === "drop" ? 0 : 1);
    }
  });

  it("is held with its receipt, and its connection is lost where that is given up", async () => {
    const hold = { point: "after-commit" as const, occurrence: 1 };
    const trial = await begin("gap", { holds: [hold] });
    const answer = send("fetch", issue("gap"));
    await trial.until("receipt.withheld");
    await trial.release(hold, "drop");
    expect(await answer).toEqual({ error: expect.any(String) });
    expect(await trial.types()).toContain("receipt.undeliverable");
    expect((await trial.status()).effects).toBe(1);
  });

  it("takes its action and key from where its rule says, and is refused without an action", async () => {
    const trial = await begin("sources", { destination: "unique" });
    const put = (body: object) =>
      send("fetch", {
        url: "https://api.example.com/items/7?x=1",
        init: { method: "PUT", headers: from("sources"), body: JSON.stringify(body) },
      });
    await put({ action: "issue", at: 1 });
    await put({ action: "issue", at: 1 });
    await put({ action: "issue", at: 2 });
    expect(await put({ at: 3 })).toMatchObject({ status: 599 });
    expect(await trial.status()).toMatchObject({ attempts: 3, effects: 2 });
    expect(await of(trial, "request.refused")).toMatchObject([
      {
        source: "gate",
        way: "fetch",
        why: "no-action",
        request: "PUT https://api.example.com/items/7",
        activation: "a1",
      },
    ]);
  });

  it("is looked up by another request, and found once it is done", async () => {
    const trial = await begin("looked-up");
    const look = () =>
      send("fetch", {
        url: "https://api.example.com/repos/me/mine/issues?key=k1",
        init: { headers: from("looked-up") },
      });
    expect(await look()).toEqual({ status: 200, body: '{"total":0,"items":[]}' });
    await send("fetch", issue("looked-up", { "idempotency-key": "k1" }));
    const [committed] = await of(trial, "effect.committed");
    expect(await look()).toEqual({
      status: 200,
      body: JSON.stringify({ total: 1, items: [{ id: committed?.receipt }] }),
    });
    expect((await of(trial, "entry.read")).map(({ found }) => found)).toEqual([false, true]);
  });

  it("reaches nothing once the trial is over", async () => {
    const trial = await begin("over");
    await trial.end();
    expect(await send("fetch", issue("over"))).toMatchObject({ status: 599 });
  });
});

describe("a request to the model", () => {
  const tool = { name: "create_issue", description: "Creates an issue.", parameters: { type: "object" } };
  const ASKED = {
    "chat/completions": (prompt: string) => ({
      messages: [{ role: "user", content: prompt }],
      tools: [{ type: "function", function: tool }],
    }),
    responses: (prompt: string) => ({ input: prompt, tools: [{ type: "function", ...tool }] }),
    messages: (prompt: string) => ({
      max_tokens: 100,
      messages: [{ role: "user", content: prompt }],
      tools: [{ name: tool.name, input_schema: tool.parameters }],
    }),
  };

  it.each(Object.entries(ASKED))("is answered by the script in the words of %s", async (dialect, asked) => {
    const name = `model-${dialect.replace("/", "-")}`;
    const trial = await begin(name, { script: SCRIPT });
    for (const stream of [false, true]) {
      const body = JSON.stringify({ model: "m1", stream, ...asked(taskPrompt(SCRIPT.prompt, name)) });
      const init = { method: "POST", headers: { ...from(name), authorization: "Bearer hers" }, body };
      const answer = await send("fetch", { url: `https://api.provider.example/v1/${dialect}`, init });
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining("create_issue") });
    }
    expect(await of(trial, "model.requested")).toMatchObject([
      { activation: "a1", session: "s1" },
      { activation: "a1", session: "s1" },
    ]);
    expect((await of(trial, "model.answered")).map(({ toolCalls }) => toolCalls[0])).toMatchObject([
      { tool: "create_issue", action: "issue" },
      { tool: "create_issue", action: "issue" },
    ]);
  });

  const chat = (prompt: string, headers: Record<string, string> = {}) => ({
    method: "POST",
    headers,
    body: JSON.stringify({ model: "m1", ...ASKED["chat/completions"](prompt) }),
  });

  it("is known by the address that the rules name, whatever its path", async () => {
    const trial = await begin("by-address", { script: SCRIPT });
    const init = chat(taskPrompt("Go.", "by-address"));
    await send("fetch", { url: "https://llm.example.com/generate", init });
    expect(await of(trial, "model.answered")).toHaveLength(1);
  });

  it("is known by the trial that its prompt names, and says of nobody else who sent it", async () => {
    const trial = await begin("by-prompt", { script: SCRIPT });
    const init = chat(taskPrompt("Go.", "by-prompt"));
    await send("fetch", { url: "https://api.provider.example/v1/chat/completions", init });
    expect(await of(trial, "model.requested")).toMatchObject([{ activation: null, session: null }]);
  });

  it("is none where only the end of its path says so", async () => {
    const trial = await begin("no-model", { script: SCRIPT });
    const init = { method: "POST", headers: from("no-model"), body: JSON.stringify({ content: "hello" }) };
    const answer = await send("fetch", { url: "https://chat.example/channels/1/messages", init });
    expect(answer).toMatchObject({ status: 599 });
    expect(await of(trial, "request.refused")).toMatchObject([{ why: "no-rule" }]);
  });

  it("goes through the AI binding as well, in one piece, as a stream, as a response or through a gateway", async () => {
    const trial = await begin("ai", { script: SCRIPT });
    const inputs = ASKED["chat/completions"](taskPrompt("Go.", "ai"));
    expect(await send("ai", { url: "@cf/some/model", inputs })).toMatchObject({
      tool_calls: [{ name: "create_issue", arguments: { title: TITLE } }],
    });
    const bare = { ...inputs, tools: [tool] };
    expect(await send("ai", { url: "@cf/some/model", inputs: bare })).toMatchObject({
      choices: [{ finish_reason: "tool_calls" }],
    });
    expect(await send("ai", { url: "@cf/some/model", inputs: { ...inputs, stream: true } })).toEqual({
      streamed: expect.stringMatching(/^data: .*create_issue.*\[DONE\]/s),
    });
    const options = { returnRawResponse: true };
    expect(await send("ai", { url: "@cf/some/model", inputs, options })).toMatchObject({ status: 200 });
    const query = { model: "@cf/some/model", ...inputs };
    const universal = { provider: "workers-ai", endpoint: "run", headers: {}, query };
    expect(await send("ai-gateway", { inputs: universal })).toMatchObject({ status: 200 });
    expect(await of(trial, "model.answered")).toHaveLength(5);
  });
});

describe("every other request", () => {
  it.each([
    ["fetch", { url: "https://elsewhere.example/a?token=secret", init: { headers: from("others") } }],
    ["fetch", { url: "http://127.0.0.1:1/", init: { headers: from("others") } }],
  ])("is refused and recorded: %s %j", async (way, asked) => {
    const trial = await begin("others");
    const before = (await of(trial, "request.refused")).length;
    expect(await send(way, asked)).toMatchObject({ status: 599 });
    const refused = (await of(trial, "request.refused")).slice(before);
    expect(refused).toMatchObject([{ why: "no-rule", activation: "a1" }]);
    expect(refused[0]?.request).not.toContain("secret");
  });

  it("is refused where nothing says whose it is, and printed, since it is in no trial's journal", async () => {
    const unmarked = { ...issue("nobody"), init: { ...issue("nobody").init, headers: {} } };
    expect(await send("fetch", unmarked)).toMatchObject({ status: 599 });
    await expect
      .poll(() => printed.join("\n"))
      .toContain("refused (fetch, not attributable): POST https://api.example.com/repos/me/mine/issues");
  });

  it("reaches this machine where that is allowed, without a word of the trial", async () => {
    const url = `http://127.0.0.1:${portOf(outside)}/health`;
    const answer = await send("fetch", { url, init: { headers: { ...from("t"), "x-own": "1" } } });
    expect(answer).toEqual({ status: 200, body: "from outside" });
    expect(reached.map((one) => one.url)).toEqual(["/health"]);
    expect(reached[0]?.headers).toContain("x-own");
    expect(reached[0]?.headers.filter((name) => name.startsWith("x-kit-"))).toEqual([]);
  });
});

describe("a process of one trial", () => {
  it("leaves no doubt whose a request is, by whatever way it leaves; that its sender is unknown is recorded", async () => {
    const trial = await begin("alone");
    const { url, init } = issue("alone");
    expect(await send("fetch", { url, init: { ...init, headers: {} } }, "one")).toMatchObject({
      status: 201,
    });
    expect(await of(trial, "attempt.received")).toMatchObject([
      { activation: null, generation: null, call: null, key: null },
    ]);
    expect(await send("https", { url: "https://elsewhere.example/" }, "one")).toEqual({ status: 599 });
    expect(await send("websocket", { url: "https://elsewhere.example/socket" }, "one")).toEqual({
      status: 599,
    });
    expect(await send("new-websocket", { url: "wss://elsewhere.example/socket" }, "one")).toEqual({
      open: false,
    });
    const socket = await send("socket", { url: `127.0.0.1:${portOf(tcp)}` }, "one");
    expect(socket).not.toEqual({ received: "from outside" });
    expect(await send("ai", { url: "m", inputs: { text: ["embed me"] } }, "one")).toEqual({
      error: expect.stringContaining("no-model-request"),
    });
    await trial.until("request.refused", 5);
    const refused = await of(trial, "request.refused");
    expect(refused.map(({ way, request }) => `${way}: ${request}`)).toEqual([
      "fetch: GET https://elsewhere.example/",
      "websocket: GET https://elsewhere.example/socket",
      "websocket: GET https://elsewhere.example/socket",
      `socket: 127.0.0.1:${portOf(tcp)}`,
      "ai-binding: AI.run m",
    ]);
    expect(connections).toBe(0);
  });
});
