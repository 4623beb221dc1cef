/** `inspect` on real databases, whole and in every state in which one may be found, on traces and on a live object. */
import { readFileSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { pickPorts } from "../scripts/local/process/ports.ts";
import { bundleCacheFolder, getBundles } from "../scripts/local/workerd/get-bundles.ts";
import { chooseHost } from "../scripts/local/workerd/host-choice.ts";
import { WorkerProcess } from "../scripts/local/workerd/worker-process.ts";
import { zipOf } from "../scripts/stored/testing/pack.ts";
import { kit } from "./support/in-process.ts";

const GOLDEN =
  "traces/golden/agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1/taken/opencode+after-commit+abort+append+reissue.jsonl";
const SECRET = "a-secret-for-tests-only";

const Printed = z.object({
  inspected: z.string(),
  readings: z.array(
    z.object({
      from: z.string(),
      moment: z.object({ record: z.number() }).nullable(),
      reading: z.record(z.string(), z.unknown()),
      findings: z.array(z.object({ code: z.string(), weight: z.string(), sentence: z.string() })),
    }),
  ),
  changes: z
    .array(z.object({ what: z.string(), a: z.string().nullable(), b: z.string().nullable() }))
    .nullable(),
});

/** As it is stored for readers in other languages. */
const STORED = z.fromJSONSchema(
  JSON.parse(readFileSync(new URL("../traces/schema/inspected.json", import.meta.url), "utf8")),
);

let dir: string;
let count = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "inspect-command-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const OPENCODE = `
  CREATE TABLE opencode_event (id TEXT, aggregate_id TEXT, seq INTEGER, created INTEGER, type TEXT, data TEXT);
  CREATE TABLE opencode_event_sequence (aggregate_id TEXT, seq INTEGER);
  CREATE TABLE opencode_session_v2 (id TEXT PRIMARY KEY, time_suspended INTEGER, resume_attempts INTEGER);
  CREATE TABLE cf_agents_jobs (id TEXT PRIMARY KEY, fn TEXT, time INTEGER, running INTEGER);
  INSERT INTO opencode_session_v2 VALUES ('ses_root', NULL, 0);
  INSERT INTO opencode_event_sequence VALUES ('ses_root', 2);
  INSERT INTO opencode_event VALUES
    ('e0', 'ses_root', 0, 1, 'session.created.1', '{}'),
    ('e1', 'ses_root', 1, 1, 'session.tool.called.1', '{"id":"c1","name":"ledger_commit"}'),
    ('e2', 'ses_root', 2, 1, 'session.tool.success.1', '{"id":"c1"}');`;

/** The path of a database of its own in a folder of its own. */
async function placed(): Promise<string> {
  return join(await mkdtemp(join(dir, `${count++}-`)), "object.sqlite");
}

async function database(...statements: string[]): Promise<string> {
  const path = await placed();
  const db = new DatabaseSync(path);
  for (const statement of statements) db.exec(statement);
  db.close();
  return path;
}

async function inspect(...args: string[]) {
  const { code, stdout, stderr } = await kit("inspect", ...args, "--json");
  expect(stderr).toBe("");
  const printed: unknown = JSON.parse(stdout);
  expect(STORED.safeParse(printed).error).toBeUndefined();
  const { readings, changes } = Printed.parse(printed);
  const codes = readings.map(({ findings }) => findings.map((one) => one.code));
  return { code, readings, changes, codes: codes[0] ?? [], reading: readings[0]?.reading ?? {} };
}

async function refused(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kit("inspect", ...args);
  expect([code, stdout, stderr.trimEnd().split("\n").length]).toEqual([2, "", 1]);
  return stderr;
}

describe("a database that is in order", () => {
  it("is shown without a finding, as tables too", async () => {
    const path = await database(OPENCODE);
    expect(await inspect("log", path)).toMatchObject({
      code: 0,
      codes: [],
      reading: { session: "ses_root", synced: 2, gaps: [] },
    });
    expect(await inspect("schema", path)).toMatchObject({ code: 0, codes: [] });
    expect(await inspect("jobs", path)).toMatchObject({ code: 0, codes: ["alarm-unknown"] });
    const { code, stdout } = await kit("inspect", "log", path);
    expect(code).toBe(0);
    expect(stdout).toMatch(/cursor 2, watermark 2/);
    expect(stdout).toMatch(/ 1 +session\.tool\.called +c1 +ledger_commit/);
  });

  it("is not changed, and nothing is put beside it", async () => {
    const path = await database(OPENCODE);
    const before = await readFile(path);
    for (const kind of ["schema", "log", "jobs"]) await kit("inspect", kind, path);
    expect(await readFile(path)).toEqual(before);
    expect(await readdir(join(path, ".."))).toEqual(["object.sqlite"]);
  });
});

describe("the stored JSON Schema", () => {
  it("takes what each kind prints of a trace, and of two of its moments, and nothing that has one field more", async () => {
    for (const kind of ["schema", "log", "jobs"]) {
      const [{ stdout }, of] = await Promise.all([
        kit("inspect", kind, GOLDEN, "--json"),
        inspect(kind, GOLDEN),
      ]);
      const printed = JSON.parse(stdout) as { inspected: string; readings: object[] };
      expect(printed.inspected).toBe(kind);
      expect(of.readings).toHaveLength(1);
      expect(STORED.safeParse({ ...printed, more: 1 }).success).toBe(false);
      expect(STORED.safeParse({ ...printed, readings: [{ ...printed.readings[0], more: 1 }] }).success).toBe(
        false,
      );
      expect(STORED.safeParse({ ...printed, readings: [] }).success).toBe(false);
      const moments = (printed.readings as { moments: { record: number }[] }[])[0]?.moments ?? [];
      const at = [moments.at(0)?.record, moments.at(-1)?.record].join(",");
      expect((await inspect(kind, GOLDEN, "--at", at)).readings).toHaveLength(2);
    }
  });
});

describe("what a log lacks is found", () => {
  const log = async (...statements: string[]) =>
    await inspect("log", await database(OPENCODE, ...statements), "--session", "ses_root");

  it.each([
    ["a gap", "DELETE FROM opencode_event WHERE seq = 0", 3, ["gap"]],
    ["a watermark ahead of it", "UPDATE opencode_event_sequence SET seq = 9", 3, ["gap", "watermark-ahead"]],
    ["a watermark behind it", "UPDATE opencode_event_sequence SET seq = 1", 0, ["watermark-behind"]],
    ["an open call", "UPDATE opencode_event SET type = 'session.idle.1' WHERE seq = 2", 0, ["call-open"]],
    [
      "an end without a call",
      "UPDATE opencode_event SET type = 'session.idle.1' WHERE seq = 1",
      0,
      ["call-orphaned"],
    ],
    ["an undecodable row", "UPDATE opencode_event SET data = '{' WHERE seq = 0", 3, ["undecodable", "gap"]],
    ["a repeat", "INSERT INTO opencode_event SELECT * FROM opencode_event WHERE seq = 0", 0, ["repeated"]],
    [
      "one number for two events",
      "INSERT INTO opencode_event SELECT 'other', aggregate_id, seq, 2, type, data FROM opencode_event WHERE seq = 0",
      3,
      ["repeated", "number-reused"],
    ],
    [
      "events of a session that is not there",
      "INSERT INTO opencode_event VALUES ('o', 'ses_gone', 0, 1, 'session.created.1', '{}')",
      0,
      ["session-orphaned"],
    ],
  ])("%s", async (_what, statement, code, codes) => {
    const found = await log(statement);
    expect([found.code, [...found.codes].sort()]).toEqual([code, [...codes].sort()]);
  });

  it("by the row's place, where a row cannot be decoded", async () => {
    const { readings } = await log("UPDATE opencode_event SET data = '{' WHERE seq = 1");
    const sentence = readings[0]?.findings.find(({ code }) => code === "undecodable")?.sentence;
    expect(sentence).toBe("1 row is no event that can be decoded (in order: 2).");
  });
});

it("work that nobody will do is found among the jobs", async () => {
  const path = await database(
    OPENCODE,
    "UPDATE opencode_session_v2 SET time_suspended = 5, resume_attempts = 2",
    "INSERT INTO cf_agents_jobs VALUES ('opencode-wake:ses_other', 'wake', 1, 0)",
  );
  const { code, codes } = await inspect("jobs", path);
  expect([code, codes]).toEqual([0, ["alarm-unknown", "claim-held", "claim-orphaned", "job-orphaned"]]);
});

describe("is refused by name", () => {
  it("an unknown layout, with the tables that were seen", async () => {
    const path = await database("CREATE TABLE invoices (id)", "CREATE TABLE people (id)");
    for (const kind of ["log", "jobs"])
      expect(await refused(kind, path)).toMatch(
        /in a layout that is known \(.*opencode.*\): its tables are invoices, people/,
      );
    expect(await inspect("schema", path)).toMatchObject({ code: 3, codes: ["tables-unknown"] });
  });
  it("an unknown session, with those that are there", async () => {
    const path = await database(OPENCODE);
    expect(await refused("log", path, "--session", "ses_x")).toMatch(
      /has no session 'ses_x'; it holds ses_root/,
    );
    const two = await database(OPENCODE, "INSERT INTO opencode_session_v2 VALUES ('ses_2', NULL, 0)");
    expect(await refused("log", two)).toContain(
      "holds 2 sessions: say which with --session; it holds ses_2, ses_root",
    );
  });
  it("an empty file, one of another kind, and what is not there", async () => {
    const path = await placed();
    await writeFile(path, "");
    expect(await refused("schema", path)).toContain("is empty: it holds no database");
    expect(await refused("schema", "package.json")).toContain("is no SQLite database");
    expect(await refused("schema", join(dir, "nowhere.sqlite"))).toContain("there is no '");
    expect(await refused("schema", await database(OPENCODE), "--at", "3")).toContain(
      "--at and --trial are for traces",
    );
  });
});

describe("the state of a file is said", () => {
  it("that it was cut", async () => {
    const path = await database(OPENCODE);
    await truncate(path, 8_192);
    const { code, codes } = await inspect("schema", path);
    expect([code, codes]).toEqual([3, expect.arrayContaining(["file-cut", "file-damaged"])]);
  });

  it("that a page of it is damaged, while the others are shown", async () => {
    const path = await database(OPENCODE);
    const bytes = await readFile(path);
    bytes.fill(0x5a, 4_096, 8_192);
    await writeFile(path, bytes);
    const { code, codes, reading } = await inspect("schema", path);
    expect([code, codes]).toEqual([3, expect.arrayContaining(["file-damaged", "table-uncounted"])]);
    expect(reading.tables).toContainEqual(expect.objectContaining({ name: "opencode_session_v2", rows: 1 }));
  });

  it("that another process holds a lock on it: it is read as it was committed", async () => {
    const path = await database(OPENCODE);
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN EXCLUSIVE; DELETE FROM opencode_event");
    const { code, codes, reading } = await inspect("log", path);
    expect([code, codes]).toEqual([0, ["in-use"]]);
    expect(reading.events).toHaveLength(3);
    writer.close();
  });

  it("that its writer died in mid-change", async () => {
    const path = await database(OPENCODE);
    const writer = new DatabaseSync(path);
    // So little room that changes go to the file before they are committed, and the journal before them.
    writer.exec("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN");
    for (let row = 0; row < 200; row++)
      writer.prepare("INSERT INTO cf_agents_jobs VALUES (?, 'x', 1, 0)").run(`${row}-${"x".repeat(1_000)}`);
    const died = await placed();
    for (const suffix of ["", "-journal"]) await cp(`${path}${suffix}`, `${died}${suffix}`);
    writer.close();
    const { code, codes } = await inspect("schema", died);
    expect([code, codes]).toEqual([3, expect.arrayContaining(["journal-hot"])]);
  });

  it("that its write-ahead log is missing, absent, or cut", async () => {
    const path = await placed();
    const writer = new DatabaseSync(path);
    writer.exec("PRAGMA journal_mode = WAL");
    writer.exec(OPENCODE);
    const copied = async (...suffixes: string[]) => {
      const to = await placed();
      for (const suffix of ["", ...suffixes]) await cp(`${path}${suffix}`, `${to}${suffix}`);
      return to;
    };
    expect(await inspect("log", await copied("-wal", "-shm"))).toMatchObject({ code: 0, codes: ["in-use"] });
    const alone = await copied("-shm");
    expect(await inspect("schema", alone)).toMatchObject({
      code: 3,
      codes: ["in-use", "log-file-missing", "tables-none"],
    });
    const cut = await copied("-wal");
    await truncate(`${cut}-wal`, (await readFile(`${cut}-wal`)).length - 100);
    expect(await inspect("schema", cut)).toMatchObject({
      code: 3,
      codes: expect.arrayContaining(["log-file-cut"]),
    });
    writer.close();
    expect(await inspect("log", await copied())).toMatchObject({ code: 0, codes: ["log-file-absent"] });
  });
});

describe("two readings", () => {
  it("of two files differ in what was added, changed and lost", async () => {
    const a = await database(OPENCODE);
    const b = await database(
      OPENCODE,
      "DROP TABLE cf_agents_jobs; CREATE TABLE kit_new (x); CREATE INDEX i ON kit_new (x)",
      "UPDATE opencode_event SET data = '{\"other\":1}' WHERE seq = 0",
      "INSERT INTO opencode_event VALUES ('e3', 'ses_root', 3, 1, 'session.idle.1', '{}')",
      "UPDATE opencode_event_sequence SET seq = 3",
    );
    const schema = await inspect("schema", a, b);
    expect([schema.code, schema.changes?.map(({ what }) => what)]).toEqual([
      1,
      [
        "table cf_agents_jobs",
        "table kit_new",
        "index sqlite_autoindex_cf_agents_jobs_1 on cf_agents_jobs",
        "index i on kit_new",
        "rows of opencode_event",
      ],
    ]);
    const log = await inspect("log", a, b);
    expect(log.changes).toEqual([
      { what: "cursor", a: "cursor 2, watermark 2", b: "cursor 3, watermark 3" },
      { what: "event 0", a: "session.created", b: "session.created" },
      { what: "event 3", a: null, b: "session.idle" },
    ]);
    const { stdout } = await kit("inspect", "log", a, b);
    expect(stdout).toContain("Differences: 3.");
  });
  it("of schemas that are written in another way are the same, and of others differ by the column", async () => {
    const plain = await database("CREATE TABLE kit_x (id TEXT PRIMARY KEY, n INTEGER NOT NULL)");
    const quoted = await database(
      'CREATE TABLE "kit_x" ("n" integer NOT NULL, "id" text, PRIMARY KEY ("id"))',
    );
    expect(await inspect("schema", plain, quoted)).toMatchObject({ code: 0, changes: [] });
    const other = await database("CREATE TABLE kit_x (id TEXT PRIMARY KEY, n TEXT, m)");
    expect((await inspect("schema", plain, other)).changes).toEqual([
      { what: "kit_x.m", a: null, b: "no type" },
      { what: "kit_x.n", a: "INTEGER, not null", b: "TEXT" },
    ]);
  });
  it("of one file do not differ", async () => {
    const a = await database(OPENCODE);
    for (const kind of ["schema", "log", "jobs"])
      expect(await inspect(kind, a, a)).toMatchObject({ code: 0, changes: [] });
  });
});

describe("a trace", () => {
  it("shows its last reading, any other, and what differs between two", async () => {
    expect(await inspect("log", GOLDEN)).toMatchObject({ code: 0, readings: [{ moment: { record: 61 } }] });
    const look = await inspect("log", GOLDEN, "--at", "20");
    expect(look).toMatchObject({ code: 0, codes: ["call-open"], readings: [{ moment: { record: 20 } }] });
    const both = await inspect("log", GOLDEN, "--at", "20,61");
    expect(both.code).toBe(1);
    expect(both.changes?.[0]).toMatchObject({ what: "cursor" });
    expect(both.changes?.every(({ a }, index) => index === 0 || a === null)).toBe(true);
    expect(await inspect("jobs", GOLDEN)).toMatchObject({ code: 0 });
    expect(await inspect("schema", GOLDEN)).toMatchObject({ code: 0 });
  });
  it("is found in an archive and by its trial", async () => {
    const path = join(dir, "run.zip");
    await writeFile(path, zipOf({ "run/run-001.jsonl": await readFile(GOLDEN, "utf8") }));
    expect(await inspect("log", path, "--trial", "1")).toMatchObject({ code: 0 });
    expect(await inspect("log", join(path, "run/run-001.jsonl"))).toMatchObject({ code: 0 });
  });
  it("names its readings where the asked one is none of them", async () => {
    expect(await refused("jobs", GOLDEN, "--at", "20")).toMatch(
      /record 20 of .* is no reading of the jobs; its readings are the records 19 \(look, through the object\)/,
    );
    expect(await refused("log", GOLDEN, "--session", "ses_x")).toMatch(
      /no reading of session 'ses_x'; it has those of ses_root/,
    );
  });
  it("that is damaged is said to be", async () => {
    const path = join(dir, "damaged.jsonl");
    const lines = (await readFile(GOLDEN, "utf8")).split("\n");
    await writeFile(path, lines.toSpliced(5, 1).join("\n"));
    const { code, codes } = await inspect("log", path);
    expect([code, codes]).toEqual([3, expect.arrayContaining(["trace-damaged"])]);
    await writeFile(path, lines.slice(0, 3).join("\n"));
    expect(await refused("log", path)).toMatch(/has no reading of the log; the trace is damaged/);
  });
});

describe("a live object", () => {
  let url: string;
  let worker: WorkerProcess;
  beforeAll(async () => {
    const bundles = await getBundles(["subject"], {
      host: chooseHost("stand-in"),
      workDir: join(dir, "bundles"),
      cacheFolder: bundleCacheFolder(),
    });
    const [port = 0, deadPort = 0] = await pickPorts(2, null);
    worker = new WorkerProcess({
      secret: SECRET,
      build: null,
      persistDir: join(dir, "storage"),
      onOutput: () => undefined,
      onDied: () => undefined,
      workers: [{ bundle: bundles.subject, port, remote: { LEDGER: deadPort } }],
    });
    await worker.start();
    url = `http://127.0.0.1:${port}`;
  }, 60_000);
  afterAll(async () => {
    delete process.env.KIT_SECRET;
    await worker.stop();
  });

  it("is asked with the secret, and is said to have been woken", async () => {
    process.env.KIT_SECRET = SECRET;
    const object = `${url}/subjects/opencode/trials/t1`;
    for (const kind of ["schema", "jobs", "log"]) {
      const { readings, codes } = await inspect(kind, object);
      expect([readings[0]?.from, codes]).toEqual(["worker", expect.arrayContaining(["object-woken"])]);
    }
    const { reading } = await inspect("schema", object);
    expect(reading.tables).toContainEqual(expect.objectContaining({ name: "kit_identity" }));
  });

  it("is not asked where the secret is wrong or missing, or would be sent in the open", async () => {
    process.env.KIT_SECRET = "another-secret-for-tests";
    expect(await refused("jobs", `${url}/subjects/opencode/trials/t1`)).toMatch(
      /it refuses \(secret-wrong\)/,
    );
    delete process.env.KIT_SECRET;
    expect(await refused("jobs", `${url}/subjects/opencode/trials/t1`)).toContain("set KIT_SECRET");
    expect(await refused("jobs", "http://example.com/subjects/a/trials/b")).toContain("give an https URL");
    expect(await refused("jobs", `${url}/`)).toContain("leads to no object");
  });

  it("that nobody serves is said so", async () => {
    process.env.KIT_SECRET = SECRET;
    const [port] = await pickPorts(1, null);
    expect(await refused("jobs", `http://127.0.0.1:${port}/subjects/opencode/trials/t1`)).toContain(
      "could not be asked",
    );
  });
});
