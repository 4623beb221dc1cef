/**
 * An object with storage worth inspecting, and a counter of its activations. The inspectors run in it on
 * `sql.exec`, as they do in the subject.
 */

import { DurableObject } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { LAYOUTS } from "../../../src/harnesses/index.ts";
import { inspectJobs, inspectSchema } from "../../../src/inspect/index.ts";

const SETUP = [
  "CREATE TABLE activation (at INTEGER)",
  'CREATE TABLE "a ""quoted"" name" (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE)',
  `INSERT INTO "a ""quoted"" name" (text) VALUES ('one'), ('two')`,
  'CREATE INDEX by_text ON "a ""quoted"" name" (text, id)',
  "CREATE VIRTUAL TABLE words USING fts5(word)",
  "INSERT INTO words VALUES ('ledger')",
  "CREATE TABLE cf_agents_jobs (id TEXT PRIMARY KEY, fn TEXT, time INTEGER, running INTEGER) WITHOUT ROWID",
  "INSERT INTO cf_agents_jobs VALUES ('opencode-wake:ses_root', 'wake', 1900000000000, 0)",
  "CREATE TABLE opencode_session_v2 (id TEXT PRIMARY KEY, time_suspended INTEGER, resume_attempts INTEGER)",
  "INSERT INTO opencode_session_v2 VALUES ('ses_root', 1800000000000, 2)",
];

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

export class Archive extends DurableObject {
  constructor(state: DurableObjectState, env: unknown) {
    super(state, env as Cloudflare.Env);
    const { sql } = state.storage;
    if (sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'activation'").toArray().length === 0)
      for (const statement of SETUP) sql.exec(statement);
    // The key-value store's own table, which no SQL may read.
    state.storage.kv.put("marker", "m1");
    sql.exec("INSERT INTO activation VALUES (?)", Date.now());
  }

  override async fetch(request: Request): Promise<Response> {
    const { storage, id } = this.ctx;
    const alarmAt = new URL(request.url).searchParams.get("alarmAt");
    if (alarmAt !== null) await storage.setAlarm(Number(alarmAt));
    const query = (sql: string, ...params: string[]) => storage.sql.exec(sql, ...params).toArray();
    const listKeys = (prefix: string) => [...storage.kv.list({ prefix })].map(([key]) => key);
    return Response.json({
      objectId: id.toString(),
      activations: storage.sql.exec("SELECT count(*) AS n FROM activation").one().n,
      alarmAt: await storage.getAlarm(),
      schema: inspectSchema(query, sha256),
      jobs: inspectJobs(query, LAYOUTS, { listKeys, now: Date.now() }),
    });
  }

  override alarm(): void {}
}

export default {
  fetch(request: Request, env: { ARCHIVE: DurableObjectNamespace }): Promise<Response> {
    return env.ARCHIVE.get(env.ARCHIVE.idFromName("one")).fetch(request);
  },
};
