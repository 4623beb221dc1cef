import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Query } from "../inspect/foreign.ts";
import { inspectJobs, recognise } from "../inspect/jobs.ts";
import { LAYOUTS } from "./index.ts";

function database(...statements: string[]): Query {
  const db = new DatabaseSync(":memory:");
  for (const statement of statements) db.exec(statement);
  return (sql, ...params) => db.prepare(sql).all(...params);
}

const JOBS =
  "CREATE TABLE cf_agents_jobs (id TEXT PRIMARY KEY, fn TEXT, time INTEGER, running INTEGER) WITHOUT ROWID";
const OPERATIONS =
  "CREATE TABLE cf_think_harness_store_operations (session TEXT, id TEXT, status TEXT, meta TEXT)";
const KEYS = "CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID";
const noKeys = () => [];

describe("the layout of a storage", () => {
  test.each([
    [
      ["cf_agents_jobs", "opencode_session_v2", "opencode_event"],
      ["lifecycle-jobs", "opencode-2"],
    ],
    [
      [
        "cf_agents_jobs",
        "cf_think_harness_store_sessions",
        "cf_agents_session_fts_data",
        "cf_agents_streams",
      ],
      ["lifecycle-jobs", "think"],
    ],
    [
      ["kit_identity", "canary_turn", "_cf_METADATA", "sqlite_sequence"],
      ["kit", "runtime"],
    ],
    [["event", "event_sequence", "message", "part", "session", "session_message"], ["opencode-1.18"]],
    [[], []],
  ])("of the tables %j is %j, and all of them are known", (tables, names) => {
    const { present, unknown } = recognise(tables, LAYOUTS, noKeys);
    expect(present.map(({ name }) => name)).toEqual(names);
    expect(unknown).toEqual([]);
  });

  test("is told by its keys where it has no table of its own", () => {
    const keysOf = (prefix: string) => ["ai-sdk-harness:s:main"].filter((key) => key.startsWith(prefix));
    const names = (tables: readonly string[], listKeys: typeof keysOf) =>
      recognise(tables, LAYOUTS, listKeys).present.map(({ name }) => name);
    expect(names(["_cf_KV"], keysOf)).toEqual(["ai-sdk", "runtime"]);
    expect(names(["_cf_KV"], () => [])).toEqual(["runtime"]);
    expect(names(["kit_outbox"], keysOf)).toEqual(["kit"]);
  });

  test("that nobody knows is an error that names its tables, whatever else is there", () => {
    const query = database(JOBS, "CREATE TABLE cf_agents_queue (id)", "CREATE TABLE mystery (id)");
    expect(inspectJobs(query, LAYOUTS).error).toBe("no known layout has the tables cf_agents_queue, mystery");
    const many = Array.from({ length: 25 }, (_, index) => `CREATE TABLE t${index} (id)`);
    expect(inspectJobs(database(...many), LAYOUTS).error).toMatch(/, t\d+ and 5 more$/);
  });

  test("of a database without any table is an error too", () => {
    expect(inspectJobs(database(), LAYOUTS).error).toBe("there are no tables");
  });

  test("of the kit's canaries owes nothing", () => {
    expect(
      inspectJobs(database("CREATE TABLE canary_turn (a)", "CREATE TABLE kit_outbox (a)"), LAYOUTS),
    ).toEqual({
      jobs: [],
      claims: [],
      error: null,
    });
  });
});

describe("Think's layout", () => {
  test("holds a session whose operation is running, with its interruptions", () => {
    const query = database(
      JOBS,
      OPERATIONS,
      "INSERT INTO cf_agents_jobs VALUES ('think-wake:main', 'wake', 5, 0)",
      `INSERT INTO cf_think_harness_store_operations VALUES
        ('a', 'o1', 'done', '{"interruptions":0}'), ('b', 'o2', 'queued', '{"interruptions":0}'),
        ('c', 'o3', 'running', '{"interruptions":2}'), ('c', 'o4', 'queued', '{"interruptions":0}')`,
    );
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [{ id: "think-wake:main", fn: "wake", dueAt: 5, running: false }],
      claims: [
        { session: "b", claimedAt: null, resumeAttempts: null, held: false },
        { session: "c", claimedAt: null, resumeAttempts: 2, held: true },
      ],
      error: null,
    });
  });

  test("counts what it cannot read as held, and says so", () => {
    const query = database(
      OPERATIONS,
      "INSERT INTO cf_think_harness_store_operations VALUES ('a', 'o1', 'paused', 'no json')",
    );
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [],
      claims: [{ session: "a", claimedAt: null, resumeAttempts: null, held: true }],
      error:
        "a row of cf_think_harness_store_operations lacks session or a known status; its columns are session, id, " +
        "status, meta; meta of a running operation of session 'a' does not count its interruptions",
    });
  });
});

describe("the AI SDK harness's layout", () => {
  const pending = [`ai-sdk-harness:p:"main":000000000001`, `ai-sdk-harness:p:"main":000000000003`];

  test("holds a session that owes an operation, as the names of its keys in the file tell", () => {
    const query = database(
      KEYS,
      ...[...pending, `ai-sdk-harness:p:"a \\"b\\":":000000000001`, "ai-sdk-harness:s:main", "other"].map(
        (key) => `INSERT INTO _cf_KV VALUES ('${key}', x'00')`,
      ),
    );
    const held = { claimedAt: null, resumeAttempts: null, held: true };
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [],
      claims: [
        { session: 'a "b":', ...held },
        { session: "main", ...held },
      ],
      error: null,
    });
  });

  test("reads keys through the object where SQL may not", () => {
    const tables = database(KEYS);
    const query: Query = (sql, ...params) => {
      if (sql.includes("FROM _cf_KV")) throw new Error("access to _cf_KV.key is prohibited");
      return tables(sql, ...params);
    };
    const listKeys = (prefix: string) => pending.filter((key) => key.startsWith(prefix));
    expect(inspectJobs(query, LAYOUTS, { listKeys })).toMatchObject({
      claims: [{ session: "main" }],
      error: null,
    });
    expect(inspectJobs(query, LAYOUTS).error).toBe("cannot read _cf_KV: access to _cf_KV.key is prohibited");
  });

  test("says which key it cannot read", () => {
    const listKeys = (prefix: string) => ["ai-sdk-harness:p:main:1"].filter((key) => key.startsWith(prefix));
    expect(inspectJobs(database(KEYS), LAYOUTS, { listKeys })).toMatchObject({
      claims: [{ session: "(unreadable)", held: true }],
      error: "the key ai-sdk-harness:p:main:1 names no session",
    });
  });
});
