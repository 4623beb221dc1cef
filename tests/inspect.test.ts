/** The inspectors on real storage: through an object in workerd, and from its files without the object. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  databasePath,
  inspectDatabaseFile,
  inspectSessionFile,
  readAlarm,
  type StoredObject,
} from "../scripts/local/files/offline.ts";
import { byCodeUnit } from "../src/trace/by-code-unit.ts";

const ALARM_AT = 1_900_000_123_456;
const Answer = z.object({
  objectId: z.string(),
  activations: z.number(),
  alarmAt: z.number().nullable(),
  schema: z.unknown(),
  jobs: z.unknown(),
});

const PageSize = z.object({ page_size: z.number() });
const RootPage = z.object({ rootpage: z.number() });

let folder: string;
let object: StoredObject;
let miniflare: Miniflare | undefined;
let throughObject: z.infer<typeof Answer>;

function start(script: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      resourcePersistencePath: folder,
      workers: [
        {
          name: "inspected",
          modules: true,
          script,
          compatibilityDate: "2026-11-01",
          compatibilityFlags: ["nodejs_compat"],
          durableObjects: { ARCHIVE: { className: "Archive", useSQLite: true } },
        },
      ],
    }),
  );
}

async function ask(runtime: Miniflare, query = ""): Promise<z.infer<typeof Answer>> {
  return Answer.parse(await (await runtime.dispatchFetch(`http://inspected.invalid/${query}`)).json());
}

/** Every file below the folder with its bytes. */
async function bytesOf(dir: string): Promise<Record<string, string>> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  );
  const entries = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, (await readFile(path)).toString("base64")] as const;
    }),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => byCodeUnit(a, b)));
}

let script: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-inspect-test-"));
  const built = await build({
    entryPoints: [fileURLToPath(new URL("inspect/workers/archive.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    external: ["cloudflare:workers", "node:crypto"],
    write: false,
  });
  script = built.outputFiles[0]!.text;
  miniflare = start(script);
  throughObject = await ask(miniflare, `?alarmAt=${ALARM_AT}`);
  object = {
    persistDir: folder,
    worker: "inspected",
    className: "Archive",
    objectId: throughObject.objectId,
  };
});
afterAll(async () => {
  await miniflare?.dispose();
  await rm(folder, { recursive: true, force: true });
});

describe("storage inspected through the object and from its files", () => {
  test("shows the same tables, indexes and counts", async () => {
    const offline = await inspectDatabaseFile(databasePath(object));
    const sql = expect.stringMatching(/^[0-9a-f]{16}$/);
    const { undecodable, ...schema } = offline.schema;
    expect(schema).toEqual(throughObject.schema);
    expect(undecodable).toEqual([]);
    expect(offline.schema.error).toBeNull();
    expect(offline.schema.tables).toEqual(
      expect.arrayContaining([
        { name: "_cf_KV", rows: null, sql },
        { name: 'a "quoted" name', rows: 2, sql, columns: expect.any(Array) },
        { name: "activation", rows: 1, sql, columns: expect.any(Array) },
        { name: "words", rows: 1, sql, columns: expect.any(Array) },
        { name: "words_content", rows: 1, sql, columns: expect.any(Array) },
      ]),
    );
    expect(offline.schema.indexes).toContainEqual({
      name: "by_text",
      table: 'a "quoted" name',
      columns: ["text", "id"],
    });
  });

  test("shows the same jobs and claims", async () => {
    const offline = await inspectDatabaseFile(databasePath(object));
    expect(offline.jobs).toEqual(throughObject.jobs);
    expect(offline.jobs).toEqual({
      jobs: [{ id: "opencode-wake:ses_root", fn: "wake", dueAt: 1_900_000_000_000, running: false }],
      claims: [{ session: "ses_root", claimedAt: 1_800_000_000_000, resumeAttempts: 2 }],
      // The tables that this object made up.
      error: expect.stringMatching(/^no known layout has the tables .*\bactivation\b.*\bwords\b/),
    });
  });

  test("shows the same alarm", async () => {
    expect(throughObject.alarmAt).toBe(ALARM_AT);
    expect(await readAlarm(object)).toEqual({ alarmAt: ALARM_AT, alarmUnknown: false, error: null });
  });
});

test("reading the files changes no byte of them and does not wake the object", async () => {
  // The runtime is stopped first, so that every later activation shows and nobody else writes.
  await miniflare?.dispose();
  miniflare = undefined;
  const before = await bytesOf(folder);
  expect(Object.keys(before)).toContain(databasePath(object));
  await inspectDatabaseFile(databasePath(object));
  await inspectSessionFile(databasePath(object), "ses_root");
  await readAlarm(object);
  expect(await bytesOf(folder)).toEqual(before);
  miniflare = start(script);
  expect((await ask(miniflare)).activations).toBe(throughObject.activations + 1);
});

test("reading the files of a running object does not change them either", async () => {
  const running = await ask(miniflare!);
  const before = await bytesOf(folder);
  const offline = await inspectDatabaseFile(databasePath(object));
  expect(offline.schema.tables).toContainEqual(
    expect.objectContaining({ name: "activation", rows: running.activations }),
  );
  expect(await bytesOf(folder)).toEqual(before);
  expect((await ask(miniflare!)).activations).toBe(running.activations);
});

describe("what cannot be read is said", () => {
  test("of an alarm that is not set, and of one whose file is not there", async () => {
    expect(await readAlarm({ ...object, objectId: "0".repeat(64) })).toEqual({
      alarmAt: null,
      alarmUnknown: false,
      error: null,
    });
    expect(await readAlarm({ ...object, className: "Nobody" })).toEqual({
      alarmAt: null,
      alarmUnknown: true,
      error: expect.stringContaining("ENOENT"),
    });
  });

  test("of a database that is not there", async () => {
    const missing = await inspectDatabaseFile(databasePath({ ...object, objectId: "0".repeat(64) }));
    expect(missing.schema).toMatchObject({
      tables: [],
      indexes: [],
      error: expect.stringContaining("ENOENT"),
    });
    expect(missing.jobs).toMatchObject({ jobs: [], claims: [], error: expect.stringContaining("ENOENT") });
  });

  test("of a copy with its first page overwritten", async () => {
    const path = await damagedCopy(1);
    const { schema, jobs } = await inspectDatabaseFile(path);
    expect(schema).toMatchObject({
      tables: [],
      indexes: [],
      error: expect.stringContaining("not a database"),
    });
    expect(jobs.error).toContain("not a database");
  });

  test("of a copy with one table's page overwritten, whose other tables are counted all the same", async () => {
    const whole = await inspectDatabaseFile(databasePath(object));
    const { schema, jobs } = await inspectDatabaseFile(await damagedCopy("activation"));
    expect(schema.error).toMatch(/malformed|damaged/);
    const malformed = { rows: null, error: expect.stringContaining("malformed") };
    expect(schema.tables).toEqual(
      whole.schema.tables.map((table) => (table.name === "activation" ? { ...table, ...malformed } : table)),
    );
    expect(schema.indexes).toEqual(whole.schema.indexes);
    expect(jobs).toEqual(whole.jobs);
  });

  test("of a session that the database does not hold", async () => {
    const { log, transcript } = await inspectSessionFile(databasePath(object), "ses_root");
    expect(log).toMatchObject({ events: [], error: expect.stringContaining("no such table") });
    expect(transcript).toEqual({ messages: [], error: expect.stringContaining("no such table") });
  });
});

describe("a file without its write-ahead log", () => {
  /** A database in use, so that the log has what the file has not. */
  async function inUse<T>(use: (path: string) => Promise<T>, ...first: string[]): Promise<T> {
    const path = join(await mkdtemp(join(folder, "in-use-")), "object.sqlite");
    const db = new DatabaseSync(path);
    db.exec("PRAGMA journal_mode = WAL");
    for (const statement of first) db.exec(statement);
    db.exec("CREATE TABLE opencode_session_v2 (id TEXT, time_suspended INTEGER, resume_attempts INTEGER)");
    db.exec("INSERT INTO opencode_session_v2 VALUES ('ses_root', 5, 1)");
    try {
      return await use(path);
    } finally {
      db.close();
    }
  }
  async function copied(path: string, ...suffixes: string[]): Promise<string> {
    const to = join(await mkdtemp(join(folder, "copied-")), "object.sqlite");
    for (const suffix of ["", ...suffixes]) await cp(`${path}${suffix}`, `${to}${suffix}`);
    return to;
  }
  const missing = expect.stringContaining("the write-ahead log of the file is missing");

  test("is named where nothing has come from the log into the file yet", async () => {
    await inUse(async (path) => {
      const whole = await inspectDatabaseFile(await copied(path, "-wal", "-shm"));
      expect(whole.jobs).toMatchObject({ claims: [{ session: "ses_root", claimedAt: 5 }], error: null });
      expect(whole.jobs).not.toHaveProperty("notes");
      const alone = await copied(path);
      const { schema, jobs } = await inspectDatabaseFile(alone);
      expect([schema.error, jobs.error]).toEqual([missing, missing]);
      const session = await inspectSessionFile(alone, "ses_root");
      expect([session.log.error, session.transcript.error]).toEqual([missing, missing]);
    });
  });

  test("is named where the log's index was left", async () => {
    const old = ["CREATE TABLE kit_old (a)", "PRAGMA wal_checkpoint(TRUNCATE)"];
    await inUse(
      async (path) => {
        const { jobs } = await inspectDatabaseFile(await copied(path, "-shm"));
        expect(jobs).toMatchObject({ claims: [], error: missing });
      },
      ...old,
    );
  });

  test("is noted where it may have been closed cleanly, which looks the same", async () => {
    const path = await inUse((open) => Promise.resolve(open));
    const { schema, jobs } = await inspectDatabaseFile(await copied(path));
    expect([schema.error, jobs.error]).toEqual([null, null]);
    expect(jobs).toMatchObject({
      claims: [{ session: "ses_root" }],
      notes: [expect.stringContaining("closed cleanly, or what was last written is missing")],
    });
  });
});

/** A copy of the object's database with one page overwritten: the file's first, or the first of a table. */
async function damagedCopy(where: 1 | string): Promise<string> {
  const path = join(await mkdtemp(join(folder, "damaged-")), "copy.sqlite");
  for (const suffix of ["", "-wal"]) await cp(`${databasePath(object)}${suffix}`, `${path}${suffix}`);
  const db = new DatabaseSync(path);
  // Moves the log's content into the file, so that the damage cannot be overlaid by it.
  db.exec("PRAGMA journal_mode = DELETE");
  const { page_size: size } = PageSize.parse(db.prepare("PRAGMA page_size").get());
  const page =
    where === 1
      ? where
      : RootPage.parse(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(where)).rootpage;
  db.close();
  const bytes = await readFile(path);
  bytes.fill(0x5a, (page - 1) * size, page * size);
  await writeFile(path, bytes);
  return path;
}
