/** A user's Worker with the kit laid over it, in workerd: it stays what it is, and the kit sees whose its requests are. */
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

const SECRET = "a-secret-of-the-tests";
const CLASSES = ["Methods", "Installed", "WithoutAlarm", "Frozen", "Socket", "Named"] as const;
type ClassName = (typeof CLASSES)[number];

/** What is told and what leaves, in order of arrival. */
const OUTSIDE = `const log = [];
export default { async fetch(request) {
  const { hostname, pathname } = new URL(request.url);
  if (pathname === "/log" && request.method === "GET") return Response.json(log);
  if (pathname === "/log") { log.length = 0; return new Response(); }
  const headers = Object.fromEntries([...request.headers].filter(([name]) => name.startsWith("x-kit-")));
  const isLedger = hostname === "ledger.invalid";
  log.push({ pathname, headers, ...(isLedger ? await request.json() : {}) });
  return isLedger ? Response.json({ seq: log.length + 1, repeated: false }) : new Response("answered");
} };`;

const Entry = z.object({
  pathname: z.string(),
  headers: z.record(z.string(), z.string()),
  record: z
    .looseObject({
      type: z.string(),
      cause: z.string(),
      generation: z.number(),
      marker: z.string().nullable(),
    })
    .optional(),
});

/** What CommonJS packages require of Node, which the runtime has only as modules to import. */
const NODE_MODULES: Plugin = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z/]+$/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path) ? { path, namespace: "node-modules" } : undefined,
    );
    onLoad({ filter: /./, namespace: "node-modules" }, ({ path }) => ({
      contents: `export * from "node:${path}";`,
    }));
  },
};

let miniflare: Miniflare;
const printed: string[] = [];

beforeAll(async () => {
  const built = await build({
    entryPoints: [fileURLToPath(new URL("own/workers/own-classes.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    plugins: [NODE_MODULES],
    // As wrangler does: a class is still called what it was.
    keepNames: true,
    write: false,
  });
  const worker = (name: string, script: string) => ({
    name,
    script,
    modules: true as const,
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["nodejs_compat"],
  });
  const bound = (className: string) => ({ className, useSQLite: true });
  const options = convertV4MiniflareOptions({
    host: "127.0.0.1",
    workers: [
      {
        ...worker("own", built.outputFiles[0]!.text),
        durableObjects: {
          ...Object.fromEntries(CLASSES.map((name) => [name.toUpperCase(), bound(name)])),
          KIT_WITNESS: bound("KitAlarmWitness"),
        },
        bindings: { KIT_SECRET: SECRET },
        serviceBindings: { KIT_LEDGER: "outside", KIT_CONTROLLER: "outside" },
        outboundService: "outside",
      },
      worker("outside", OUTSIDE),
    ],
  });
  miniflare = new Miniflare({ ...options, handleStructuredLogs: ({ message }) => printed.push(message) });
  await miniflare.ready;
});
afterAll(() => miniflare.dispose());

const outside = async (method = "GET") =>
  (await miniflare.getWorker("outside")).fetch("http://outside.invalid/log", { method });
beforeEach(async () => {
  await outside("DELETE");
});

async function log() {
  return z.array(Entry).parse(await (await outside()).json());
}

/** Short: activations as `generation cause`, requests as `path trial generation`. */
async function told(): Promise<string[]> {
  return (await log()).map(({ pathname, headers, record }) =>
    record === undefined
      ? [pathname, headers["x-kit-trial"] ?? "?", headers["x-kit-generation"] ?? "?"].join(" ")
      : `${record.generation} ${record.cause}`,
  );
}

/** As her own code speaks to an object. */
async function call(className: ClassName, trial: string, method: string | null, ...given: unknown[]) {
  const headers = {
    "x-object-class": className.toUpperCase(),
    "x-object-name": `object-of-${trial}`,
    ...(method === null ? {} : { "x-method": method, "x-arguments": JSON.stringify(given) }),
  };
  const answer = await miniflare.dispatchFetch("http://own.invalid/any", { headers });
  return (await answer.json()) as unknown;
}

/** As the controller speaks to the subject. */
async function kit(trial: string, request: string, body?: unknown) {
  return miniflare.dispatchFetch(`http://own.invalid/subjects/own/trials/${trial}/${request}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${SECRET}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const prepare = (trial: string) => kit(trial, "prepare", { marker: `marker-${trial}`, key: "none" });
const reset = (trial: string) => kit(trial, "reset", {});

describe("a class that is called by its methods", () => {
  it("stays what it is, and sees none of the kit's bindings", async () => {
    await prepare("m1");
    expect(await call("Methods", "m1", "describe")).toEqual({
      asWritten: true,
      name: "Methods",
      secret: "private",
      bindings: CLASSES.map((name) => name.toUpperCase()).sort(),
      sum: 5,
    });
  });

  it("belongs to the trial whose client came first, before and after a loss, whatever enters it", async () => {
    expect(await (await prepare("m2")).json()).toMatchObject({ generation: 1, session: "object-of-m2" });
    expect(await call("Methods", "m2", "send", "http://api.example/one")).toBe("answered");
    expect((await reset("m2")).status).toBe(502);
    expect(await call("Methods", "m2", "send", "http://api.example/two")).toBe("answered");
    expect(await told()).toEqual(["1 fetch", "/one m2 1", "2 rpc", "/two m2 2"]);
    const [, after] = (await log()).flatMap(({ record }) => record ?? []);
    expect(after?.marker).toBe("marker-m2");
  });

  it("comes back by its alarm, whose requests are told as its trial's", async () => {
    await prepare("m3");
    await call("Methods", "m3", "sendLater");
    await reset("m3");
    await expect.poll(told, { timeout: 20_000 }).toEqual(["1 fetch", "2 alarm", "/from-alarm m3 2"]);
  });

  it("keeps its trial when it deletes all that it stored, and finds nothing else there", async () => {
    await prepare("m4");
    expect(await call("Methods", "m4", "forget")).toEqual(["kit_identity", "kit_outbox"]);
    await reset("m4");
    await call("Methods", "m4", "sum", 1, 2);
    await expect.poll(told, { timeout: 20_000 }).toEqual(["1 fetch", "2 rpc"]);
    expect((await log()).at(-1)?.record?.marker).toBe("marker-m4");
  });

  it("has facets, which are no subject and whose requests are its trial's where the process has one trial", async () => {
    await prepare("m5");
    expect(await call("Methods", "m5", "askFacet", "http://api.example/of-facet")).toBe("answered");
    expect((await told()).filter((line) => !line.startsWith("/of-facet"))).toEqual(["1 fetch"]);
  });

  it("is left alone by the kit where no trial has come", async () => {
    expect(await call("Methods", "nobody", "forget")).toEqual([]);
    expect(await told()).toEqual([]);
  });
});

describe("a client of the Worker", () => {
  it("hands work in by a method, and is told what became of it", async () => {
    await prepare("c1");
    const submit = { operationId: "o1", text: "do it" };
    const taken = await kit("c1", "submit", submit);
    expect(await taken.json()).toMatchObject({ operationId: "o1", session: "object-of-c1", accepted: true });
    expect(taken.headers.get("x-kit-requests")).toBe("2");
    expect(await (await kit("c1", "submit", submit)).json()).toMatchObject({ accepted: false });
    const waited = await kit("c1", "wait", { operationId: "o1", timeoutMs: 1 });
    expect(await waited.json()).toEqual({
      settled: true,
      result: {
        ...{ operationId: "o1", session: "object-of-c1", status: "done", reason: null },
        ...{ text: "it is done", claim: "committed" },
      },
    });
    expect(await told()).toEqual(["1 fetch", "/from-client c1 1", "/from-client c1 1"]);
  });

  it("reaches her own default handler, which answers nobody else's requests of the kit", async () => {
    await prepare("c2");
    expect((await kit("c2", "submit", { operationId: "o1", text: "by-fetch" })).status).toBe(200);
    const stranger = await miniflare.dispatchFetch("http://own.invalid/subjects/own/trials/c2/jobs");
    expect(await stranger.text()).toBe("hers: /subjects/own/trials/c2/jobs");
  });

  it("asks no more once the object is lost", async () => {
    await prepare("c3");
    const open = kit("c3", "wait", { operationId: "pending", timeoutMs: 20_000 });
    // Beside these questions, the object was sent the first request and the wait.
    let asked = 0;
    const others = async () => Number((await kit("c3", "jobs")).headers.get("x-kit-requests")) - ++asked;
    await expect.poll(others, { timeout: 10_000 }).toBe(2);
    await reset("c3");
    expect((await open).status).toBe(502);
    expect(await (await open).json()).toMatchObject({ error: { code: "object-lost" } });
    expect(await told()).toEqual(["1 fetch"]);
  });

  it("waits for no longer than it was told to", async () => {
    await prepare("c4");
    const waited = await kit("c4", "wait", { operationId: "pending", timeoutMs: 300 });
    expect(await waited.json()).toEqual({ settled: false, waitedMs: 300 });
  });
});

describe("classes that a subclass would break", () => {
  it("keeps the handlers that Lifecycle installs", async () => {
    expect(await call("Installed", "l1", null)).toEqual({ hasAlarm: true });
  });

  it("gives no alarm to a class that has none", async () => {
    expect(await call("WithoutAlarm", "w1", null)).toEqual({
      hasAlarm: false,
      failed: expect.stringContaining("alarm"),
    });
  });

  it("says of an instance that was frozen that it cannot be followed", async () => {
    expect(await call("Frozen", "f1", null)).toEqual({ frozen: true });
    expect(printed.join("\n")).toContain("Frozen lets nobody wrap its fetch");
  });

  it("leaves an Agent its class, its name and its callable methods", async () => {
    const expected = { asWritten: true, class: "Named", name: "object-of-a1" };
    expect(await call("Named", "a1", null)).toEqual(expected);
    expect(await call("Named", "a1", "greet", "you")).toBe("hello you from object-of-a1");
    const headers = { "x-object-class": "NAMED", "x-object-name": "object-of-a1", upgrade: "websocket" };
    const { webSocket } = await miniflare.dispatchFetch("http://own.invalid/any", { headers });
    const answers: unknown[] = [];
    webSocket?.addEventListener("message", ({ data }) => answers.push(JSON.parse(String(data))));
    webSocket?.accept();
    webSocket?.send(JSON.stringify({ type: "rpc", id: "1", method: "greet", args: ["us"] }));
    webSocket?.send(
      JSON.stringify({ type: "rpc", id: "2", method: "send", args: ["http://api.example/no"] }),
    );
    await expect
      .poll(() => answers.filter((answer) => JSON.stringify(answer).includes('"rpc"')), { timeout: 10_000 })
      .toMatchObject([
        { id: "1", success: true, result: "hello us from object-of-a1" },
        { id: "2", success: false },
      ]);
    webSocket?.close();
  });
});

describe("a connection that outlives its object", () => {
  it("brings the object back with the same connection", async () => {
    const headers = { "x-object-class": "SOCKET", "x-object-name": "object-of-s1", upgrade: "websocket" };
    const { webSocket } = await miniflare.dispatchFetch("http://own.invalid/any", { headers });
    const heard: string[] = [];
    webSocket?.addEventListener("message", ({ data }) => heard.push(String(data)));
    webSocket?.accept();
    webSocket?.send("one");
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["heard one"]);
    await miniflare.unsafeEvictDurableObject("own", "Socket", { name: "object-of-s1" });
    webSocket?.send("two");
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["heard one", "heard two"]);
    webSocket?.close();
  });
});
