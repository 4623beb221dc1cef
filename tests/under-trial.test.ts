/** The kit laid over classes of the kinds that users write, in workerd: they stay what they are, and the kit sees them. */
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { lossIn, NumberedWrite, type Side } from "../src/trace/writes.ts";

/** What is told, in order of arrival, by trial or without one. */
const LEDGER = `const log = [];
export default { async fetch(request) {
  const { pathname } = new URL(request.url);
  if (request.method === "GET") return Response.json(log);
  if (request.method === "DELETE") log.length = 0;
  else log.push({ pathname, ...await request.json() });
  return Response.json({ seq: log.length + 1, repeated: false });
} };`;

const Entry = z.object({
  pathname: z.string(),
  said: z.string().optional(),
  record: z
    .object({
      type: z.string(),
      activation: z.string(),
      generation: z.number().nullable(),
      cause: z.string().optional(),
      where: z.string().optional(),
      ordinal: z.number().optional(),
      error: z.string().optional(),
      stack: z.array(z.string()).optional(),
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
    entryPoints: [fileURLToPath(new URL("under-trial/workers/wrapped-classes.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "es2024",
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
  const options = convertV4MiniflareOptions({
    host: "127.0.0.1",
    workers: [
      {
        ...worker("wrapped", built.outputFiles[0]!.text),
        durableObjects: { WRAPPED: { className: "Wrapped", useSQLite: true } },
        serviceBindings: { LEDGER: "ledger" },
      },
      worker("ledger", LEDGER),
    ],
  });
  miniflare = new Miniflare({ ...options, handleStructuredLogs: ({ message }) => printed.push(message) });
  await miniflare.ready;
});
afterAll(() => miniflare.dispose());

async function ask(object: string, path: string, init: { method?: string; body?: string } = {}) {
  const headers = { "x-object": object };
  return miniflare.dispatchFetch(`http://wrapped.invalid${path}`, { ...init, headers });
}

/** What the ledger was told since the test began, and what an object of an earlier one told it late. */
async function entries() {
  const ledger = await miniflare.getWorker("ledger");
  return z.array(Entry).parse(await (await ledger.fetch("http://ledger.invalid/")).json());
}

/** The same, short: what a class said, and each activation as `generation cause`. */
async function told(): Promise<string[]> {
  return (await entries()).map(({ said, record }) => said ?? `${record?.generation} ${record?.cause}`);
}

beforeEach(async () => {
  const ledger = await miniflare.getWorker("ledger");
  await ledger.fetch("http://ledger.invalid/", { method: "DELETE" });
});

describe("a class with handlers of its own", () => {
  it("is constructed as it was written, and gets its requests unchanged", async () => {
    const answer = await ask("plain/t1", "/anything", { method: "POST", body: "her words" });
    expect(await answer.json()).toEqual({
      asWritten: true,
      name: "Plain",
      made: "by its author",
      secret: "private",
      trial: "t1",
      pathname: "/anything",
      body: "her words",
    });
  });

  it("runs only after its activation was announced, whatever woke it", async () => {
    await ask("plain/t2", "/alarm");
    await expect.poll(told, { timeout: 20_000 }).toEqual(["1 fetch", "fetch", "alarm of plain/t2"]);
    await ask("plain/t2", "/alarm").then(() =>
      ask("plain/t2", "/subjects/plain/trials/t2/reset", { method: "POST" }),
    );
    await expect
      .poll(told, { timeout: 20_000 })
      .toEqual(["1 fetch", "fetch", "alarm of plain/t2", "fetch", "2 alarm", "alarm of plain/t2"]);
  });

  it("never sees a request of the kit, which its driver answers", async () => {
    const at = "/subjects/plain/trials/t3";
    const marker = JSON.stringify({ marker: "m", key: "none" });
    const prepared = await ask("plain/t3", `${at}/prepare`, { method: "POST", body: marker });
    expect(await prepared.json()).toMatchObject({ generation: 1, session: "main" });
    const wait = JSON.stringify({ operationId: "o1", timeoutMs: 1 });
    const waited = await ask("plain/t3", `${at}/wait`, { method: "POST", body: wait });
    expect(await waited.json()).toMatchObject({ settled: true, result: { text: "answered" } });
    expect(await told()).toEqual(["1 fetch"]);
  });
});

describe("a class whose handlers Lifecycle installs", () => {
  it("keeps them, and is started before a request of the kit is answered", async () => {
    const read = await ask("installed/t1", "/subjects/installed/trials/t1/transcript");
    expect(await read.json()).toEqual({ session: "main", messages: [], pending: [] });
    expect(await told()).toEqual(["1 fetch", "start"]);
    expect(await (await ask("installed/t1", "/")).json()).toEqual({ hasAlarm: true });
    expect(await told()).toEqual(["1 fetch", "start"]);
  });
});

describe("an Agent", () => {
  it("keeps its name and its constructor", async () => {
    const answer = await ask("named/t1", "/");
    expect(await answer.json()).toEqual({
      asWritten: true,
      class: "Named",
      name: "named/t1",
    });
    expect(await told()).toEqual(["1 fetch"]);
  });
});

describe("a class without an alarm", () => {
  it("gets none: the runtime refuses to set one, as it does without the kit", async () => {
    const answer = await ask("without-alarm/t1", "/");
    expect(await answer.json()).toEqual({ hasAlarm: false, failed: expect.stringContaining("alarm") });
  });
});

describe("a class that fails to begin after a loss", () => {
  const reset = (object: string) => {
    const [subject, trial] = object.split("/");
    return ask(object, `/subjects/${subject}/trials/${trial}/reset`, { method: "POST" }).catch(
      () => undefined,
    );
  };
  const failures = async (of: string) =>
    (await entries()).flatMap(({ pathname, record }) =>
      record?.type === "activation.failed" && pathname.split("/")[2] === of ? [record] : [],
    );

  it("is constructed anew at each try of its alarm, and each failure is told with its error", async () => {
    await ask("broken-schema/schema", "/");
    await reset("broken-schema/schema");
    await expect
      .poll(async () => (await failures("schema")).length, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(2);
    const failed = await failures("schema");
    expect(new Set(failed.map(({ activation }) => activation)).size).toBe(failed.length);
    expect(failed.map(({ generation }) => generation).slice(0, 2)).toEqual([2, 3]);
    for (const { error, cause } of failed) {
      expect(error).toMatch(/no such table: session_v2/);
      expect(cause).toBe("alarm");
    }
  });

  it("is told also where its constructor waits for what fails", async () => {
    await ask("broken-migration/migration", "/");
    await reset("broken-migration/migration");
    await ask("broken-migration/migration", "/").catch(() => undefined);
    await expect
      .poll(async () => (await failures("migration")).length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(1);
    expect((await failures("migration"))[0]?.error).toBe("Error: migration 0002_claims failed");
  });
});

describe("what a class throws and nobody catches", () => {
  const exceptions = async () =>
    (await entries()).flatMap(({ pathname, record }) =>
      record?.type === "worker.exception" ? [{ ...record, trial: pathname.split("/")[2] }] : [],
    );

  it.each([
    ["promise", "TypeError"],
    ["listener", "RangeError"],
    ["wait-until", "TypeError"],
    ["fetch", "TypeError"],
  ])("is told with its place and stack: %s", async (where, name) => {
    const object = `careless/${where}`;
    await ask(object, `/${where}`).catch(() => undefined);
    await expect.poll(async () => (await exceptions()).length, { timeout: 20_000 }).toBe(1);
    const [told] = await exceptions();
    expect(told).toMatchObject({ trial: where, where, ordinal: 1, generation: 1 });
    expect(told?.error).toBe(`${name}: /${where} of ${object}`);
    expect(told?.stack?.[0]).toMatch(/^at .*:\d+:\d+\)?$/);
    expect(told?.stack?.join()).not.toContain("file:");
  });

  it("is told of the object that threw it, though many share the isolate, and after an alarm too", async () => {
    const trials = Array.from({ length: 12 }, (_, index) => `shared-${index}`);
    const paths = ["/promise", "/listener", "/in-alarm"];
    await Promise.all(trials.flatMap((trial) => paths.map((path) => ask(`careless/${trial}`, path))));
    const expected = trials.length * paths.length;
    await expect.poll(async () => (await exceptions()).length, { timeout: 20_000 }).toBe(expected);
    for (const { trial, error } of await exceptions()) expect(error).toMatch(new RegExp(`/${trial}$`));
  });

  it("is told 20 times of one life and no more", async () => {
    await ask("careless/many", "/many");
    await expect.poll(async () => (await exceptions()).length, { timeout: 20_000 }).toBe(20);
    await ask("careless/many", "/fetch").catch(() => undefined);
    await ask("careless/another", "/fetch").catch(() => undefined);
    await expect.poll(async () => (await exceptions()).at(-1)?.trial, { timeout: 20_000 }).toBe("another");
    const ordinals = (await exceptions()).flatMap(({ trial, ordinal }) =>
      trial === "many" ? [ordinal] : [],
    );
    expect(ordinals).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("may be a thing without a text", async () => {
    await ask("careless/no-text", "/no-text");
    await expect.poll(async () => (await exceptions()).length, { timeout: 20_000 }).toBe(1);
    expect(await exceptions()).toMatchObject([{ error: "a value that has no text", stack: [] }]);
  });

  it("is nothing that the class catches itself, at once or a little later", async () => {
    await ask("careless/catches", "/caught");
    await ask("careless/catches", "/taken-later");
    // Its own, which comes after theirs would have.
    await ask("careless/catches", "/promise");
    await expect.poll(async () => (await exceptions()).length, { timeout: 20_000 }).toBe(1);
    expect(await exceptions()).toMatchObject([
      { error: "TypeError: /promise of careless/catches", ordinal: 1 },
    ]);
  });

  it("is printed, whosever it is, and of no trial where that is not known", async () => {
    await ask("nobody", "/of-nobody");
    await expect.poll(() => printed.join("\n"), { timeout: 20_000 }).toContain("of no known trial");
    expect(printed.join("\n")).toContain("uncaught (promise) of no known trial: Error: of the Worker itself");
    expect(printed.join("\n")).toContain(
      "uncaught (promise) of trial promise: TypeError: /promise of careless",
    );
    expect(await exceptions()).toEqual([]);
  });
});

describe("a class whose writes are numbered", () => {
  const WRITES = [
    ["create", "note", 1],
    ["insert", "note", 1],
    ["put", null, 1],
    ["insert", "note", 2],
    ["update", "note", 1],
    ["set-alarm", null, 1],
    ["insert", "note", 3],
    ["put", null, 2],
    ["remove", null, 1],
    ["delete-alarm", null, 1],
  ] as const;
  const post = (object: string, path: string, body: unknown) =>
    ask(object, `/subjects/writing/trials/${object.split("/")[1]}/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
  const prepare = (object: string, writes?: unknown) =>
    post(object, "prepare", { marker: "m", key: "none", ...(writes === undefined ? {} : { writes }) });
  const submit = (object: string) => post(object, "submit", { operationId: "o1", text: "write" });
  const kept = async (object: string) => (await ask(object, "/")).json();
  const written = async (object: string) => {
    const answer = await ask(object, `/subjects/writing/trials/${object.split("/")[1]}/writes`);
    return z.object({ writes: z.array(NumberedWrite) }).parse(await answer.json()).writes;
  };
  /** What the object was left with, and what the request said that was open at it. */
  const lose = async (object: string, number: number, side: Side) => {
    const [kind, table, nth] = WRITES[number - 1] ?? ["other", null, 1];
    await prepare(object, { lose: { number, side, kind, table, nth } });
    const open = post(object, "loss", {}).then(
      (answer) => answer.text(),
      (error: unknown) => String(error),
    );
    await submit(object).then((answer) => answer.text(), String);
    return { told: lossIn(await open), kept: await kept(object) };
  };

  it("numbers each kind of write from the submission on, with the group that it becomes durable in", async () => {
    await prepare("writing/all", { lose: null });
    await submit("writing/all");
    const all = await written("writing/all");
    expect(all.map(({ kind, table, nth }) => [kind, table, nth])).toEqual(WRITES);
    expect(all.map(({ number }) => number)).toEqual(WRITES.map((_, index) => index + 1));
    const groups = all.map(({ group }) => group);
    expect(groups.slice(0, 3)).toEqual([1, 1, 1]);
    expect(new Set(groups.slice(3, 6)).size).toBe(1);
    expect(groups[3]).toBeGreaterThan(1);
    expect(groups[6]).toBe(groups[7]);
    expect(groups[6]).toBeGreaterThan(groups[5] ?? 0);
    expect(groups[8]).toBeGreaterThan(groups[7] ?? 0);
    expect(all.slice(1, 2)).toMatchObject([{ rows: 1 }]);
    // The kit's own table of markers and settings is written to as well.
    expect(all.some(({ table }) => table?.startsWith("kit_") === true)).toBe(false);
  });

  it("is left as it is where nobody asks for it", async () => {
    await prepare("writing/none");
    await submit("writing/none");
    expect(await written("writing/none")).toEqual([]);
    expect(await kept("writing/none")).toMatchObject({ laid: false, notes: [1, 3, 4], last: true });
  });

  const nothing = { notes: null, first: false, last: false, alarm: false };
  const firstTurn = { ...nothing, notes: [1], first: true };
  const secondTurn = { ...firstTurn, notes: [1, 3], alarm: true };
  it.each([
    [1, "before", nothing],
    [1, "after", firstTurn],
    [3, "before", nothing],
    [3, "after", firstTurn],
    [4, "before", firstTurn],
    [5, "before", firstTurn],
    [5, "after", secondTurn],
    [7, "before", secondTurn],
    // In a transaction, which is kept as a whole or not at all.
    [7, "after", { ...secondTurn, notes: [1, 3, 4], last: true }],
    [8, "before", secondTurn],
    [8, "after", { ...secondTurn, notes: [1, 3, 4], last: true }],
  ] as const)("ends at write %i, %s, with all of its group or nothing of it", async (number, side, left) => {
    const { told, kept: stored } = await lose(`writing/${number}-${side}`, number, side);
    const [kind, table, nth] = WRITES[number - 1] ?? [];
    expect(told).toMatchObject({ number, side, kind, table, nth });
    expect(side === "before" ? told?.last : told?.lastGroup).toBe(
      side === "before" ? number - 1 : told?.group,
    );
    expect(stored).toMatchObject(left);
  });
});

describe("an instance that was frozen", () => {
  it("works on without the kit, which says so", async () => {
    expect(await (await ask("frozen/of-frozen", "/")).json()).toEqual({ frozen: true });
    expect((await entries()).filter(({ pathname }) => pathname.split("/").includes("of-frozen"))).toEqual([]);
    expect(printed.join("\n")).toContain(
      "Frozen lets nobody wrap its fetch: the kit neither sees nor reaches it",
    );
  });
});

describe("an object that has no class", () => {
  it.each([
    ["nobody/t1", "there is no class for subject 'nobody'"],
    ["t1", "'t1' is not the name of a subject's object"],
  ])("of name %s says so", async (name, sentence) => {
    expect(await (await ask(name, "/")).text()).toContain(sentence);
  });
});
