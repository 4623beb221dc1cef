import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { LAYOUTS } from "../harnesses/index.ts";
import type { Query } from "./foreign.ts";
import { inspectJobs } from "./jobs.ts";
import { inspectSchema } from "./sqlite-schema.ts";

function database(...statements: string[]): Query {
  const db = new DatabaseSync(":memory:");
  for (const statement of statements) db.exec(statement);
  return (sql, ...params) => db.prepare(sql).all(...params);
}
const broken: Query = () => {
  throw new Error("database disk image is malformed");
};

const JOBS = `CREATE TABLE cf_agents_jobs (id TEXT PRIMARY KEY NOT NULL, capability TEXT NOT NULL, fn TEXT NOT NULL,
  time INTEGER NOT NULL, payload TEXT, running INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID`;
const SESSIONS =
  "CREATE TABLE opencode_session_v2 (id TEXT PRIMARY KEY, time_suspended INTEGER, resume_attempts INTEGER DEFAULT 0)";

describe("the schema inspector", () => {
  test("lists tables and indexes in order of name, with counts", () => {
    const query = database(
      "CREATE TABLE b (x TEXT UNIQUE)",
      "CREATE TABLE a (x)",
      "CREATE INDEX i ON a (x)",
      "INSERT INTO b VALUES ('1'), ('2')",
    );
    expect(inspectSchema(query)).toEqual({
      tables: [
        { name: "a", rows: 0, columns: [{ name: "x", type: "" }] },
        { name: "b", rows: 2, columns: [{ name: "x", type: "TEXT" }] },
      ],
      indexes: [
        { name: "i", table: "a", columns: ["x"] },
        { name: "sqlite_autoindex_b_1", table: "b", columns: ["x"], unique: true },
      ],
      error: null,
    });
  });

  test("takes any name for a name", () => {
    const query = database('CREATE TABLE "x""; DROP TABLE a; --" (x)', "CREATE TABLE a (x)");
    const columns = [{ name: "x", type: "" }];
    expect(inspectSchema(query).tables).toEqual([
      { name: "a", rows: 0, columns },
      { name: 'x"; DROP TABLE a; --', rows: 0, columns },
    ]);
  });

  test("counts a virtual table and the tables behind it", () => {
    const query = database("CREATE VIRTUAL TABLE f USING fts5(x)", "INSERT INTO f VALUES ('word')");
    const { tables, error } = inspectSchema(query);
    expect(error).toBeNull();
    expect(tables.filter(({ name }) => name === "f" || name === "f_content")).toEqual([
      { name: "f", rows: 1, columns: [{ name: "x", type: "" }] },
      {
        name: "f_content",
        rows: 1,
        columns: [
          { name: "id", type: "INTEGER", pk: 1 },
          { name: "c0", type: "" },
        ],
      },
    ]);
  });

  test("lists the runtime's own tables without counting them", () => {
    expect(inspectSchema(database("CREATE TABLE _cf_KV (k)")).tables).toEqual([
      { name: "_cf_KV", rows: null },
    ]);
  });

  test("a table that cannot be counted says why, and the others are counted", () => {
    const query = database("CREATE TABLE a (x)", "CREATE TABLE b (x)");
    const partly: Query = (sql, ...params) => {
      if (sql.includes('"a"')) throw new Error("no such module: secret");
      return query(sql, ...params);
    };
    const columns = [{ name: "x", type: "" }];
    expect(inspectSchema(partly).tables).toEqual([
      { name: "a", rows: null, columns, error: "no such module: secret" },
      { name: "b", rows: 0, columns },
    ]);
  });

  test("a database that cannot be read says so", () => {
    expect(inspectSchema(broken)).toEqual({
      tables: [],
      indexes: [],
      error:
        "cannot list the tables: database disk image is malformed; cannot list the indexes: database disk image is malformed",
    });
  });
});

describe("the jobs inspector", () => {
  test("reads jobs and claims", () => {
    const query = database(
      JOBS,
      SESSIONS,
      "INSERT INTO cf_agents_jobs VALUES ('opencode-wake:ses_root', 'harness', 'wake', 1700000000000, '{}', 1)",
      "INSERT INTO opencode_session_v2 VALUES ('ses_root', 1699999999000, 3), ('ses_x', NULL, 0)",
    );
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [{ id: "opencode-wake:ses_root", fn: "wake", dueAt: 1_700_000_000_000, running: true }],
      claims: [
        { session: "ses_root", claimedAt: 1_699_999_999_000, resumeAttempts: 3 },
        { session: "ses_x", claimedAt: null, resumeAttempts: 0 },
      ],
      error: null,
    });
  });

  test("reads the claim under its later name", () => {
    const query = database(
      JOBS,
      "CREATE TABLE opencode_session_v2 (id TEXT, execution_claimed_at INTEGER, resume_attempts INTEGER)",
      "INSERT INTO opencode_session_v2 VALUES ('ses_root', 5, 1)",
    );
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [],
      claims: [{ session: "ses_root", claimedAt: 5, resumeAttempts: 1 }],
      error: null,
    });
  });

  test("reads the claim of an older layout, which has another name and no counter", () => {
    for (const table of ["opencode_session", "session"])
      expect(
        inspectJobs(
          database(
            `CREATE TABLE ${table} (id TEXT PRIMARY KEY, title TEXT, time_suspended INTEGER)`,
            `INSERT INTO ${table} VALUES ('ses_root', 'T', 7), ('ses_x', 'T', NULL)`,
          ),
          LAYOUTS,
        ),
      ).toEqual({
        jobs: [],
        claims: [
          { session: "ses_root", claimedAt: 7, resumeAttempts: null },
          { session: "ses_x", claimedAt: null, resumeAttempts: null },
        ],
        error: null,
      });
  });

  test("reads claims from every table that has them, and says that there are several", () => {
    const query = database(
      SESSIONS,
      "CREATE TABLE opencode_session (id TEXT, time_suspended INTEGER)",
      "INSERT INTO opencode_session VALUES ('ses_old', 3)",
      "INSERT INTO opencode_session_v2 VALUES ('ses_root', 5, 1)",
    );
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [],
      claims: [
        { session: "ses_old", claimedAt: 3, resumeAttempts: null },
        { session: "ses_root", claimedAt: 5, resumeAttempts: 1 },
      ],
      error: "claims stand in 2 tables: opencode_session, opencode_session_v2",
    });
  });

  test("says that it does not know a layout without a column for claims, whatever its tables are called", () => {
    const errorOf = (...tables: string[]) => inspectJobs(database(...tables), LAYOUTS).error;
    expect(errorOf("CREATE TABLE opencode_session_v2 (id TEXT, title TEXT)")).toBe(
      "unknown layout: no table has a column for claims; opencode_session_v2 (id, title)",
    );
    expect(errorOf("CREATE TABLE opencode_event (id TEXT)")).toBe(
      "unknown layout: no table has a column for claims; there is no table of sessions",
    );
  });

  test("shows rows of a layout that it does not know, and names the columns", () => {
    const query = database(
      "CREATE TABLE cf_agents_jobs (job TEXT, due INTEGER)",
      "INSERT INTO cf_agents_jobs VALUES ('j1', 5), ('j2', 6)",
      "CREATE TABLE opencode_session_v2 (id TEXT, claimed INTEGER)",
      "INSERT INTO opencode_session_v2 VALUES ('ses_root', 5)",
    );
    const unreadable = { id: "(unreadable)", fn: "(unreadable)", dueAt: null, running: null };
    expect(inspectJobs(query, LAYOUTS)).toEqual({
      jobs: [unreadable, unreadable],
      // A claim that cannot be read is not reported as none.
      claims: [],
      error:
        "a row of cf_agents_jobs lacks id, fn, time or running; its columns are job, due; " +
        "unknown layout: opencode_session_v2 may hold claims; its columns are id, claimed",
    });
  });

  test("notes jobs of one function that nobody works off", () => {
    const now = 1_000_000;
    const rows = Array.from(
      { length: 40 },
      (_, index) => `('wake:${index}', 'h', 'wake', ${index}, NULL, 0)`,
    );
    const due = `('later', 'h', 'wake', ${now}, NULL, 0), ('at it', 'h', 'wake', 5, NULL, 1), ('one', 'h', 'close', 5, NULL, 0)`;
    const query = database(JOBS, `INSERT INTO cf_agents_jobs VALUES ${rows.join(", ")}, ${due}`);
    const { jobs, notes, error } = inspectJobs(query, LAYOUTS, { now });
    expect(jobs).toHaveLength(43);
    expect(notes).toEqual(["40 jobs of wake are overdue, the oldest by 1000000 ms"]);
    expect(error).toBeNull();
    // Without a clock nothing is overdue.
    expect(inspectJobs(query, LAYOUTS)).not.toHaveProperty("notes");
    expect(inspectJobs(query, LAYOUTS, { now: 5 })).not.toHaveProperty("notes");
  });

  test("a database that cannot be read says so", () => {
    expect(inspectJobs(broken, LAYOUTS)).toEqual({
      jobs: [],
      claims: [],
      error: "cannot list the tables: database disk image is malformed",
    });
  });
});
