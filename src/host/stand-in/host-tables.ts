/**
 * Tables and indexes: host contract, sections 11.1 to 11.3. Names are those before the harness adds its prefix.
 *
 * Each statement is executed alone, because the prefixing view classifies a statement by its first word.
 */
import type { Database } from "./database.ts";
import type { Mutation } from "./mutations.ts";
import { CLAIM_INDEX, type TableLayout } from "./table-layouts.ts";
import { migrate } from "./table-migration.ts";

const TABLES = [
  `CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER NOT NULL)`,
  `CREATE TABLE event_sequence (aggregate_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, owner_id TEXT)`,
  `CREATE TABLE event (
    id TEXT PRIMARY KEY,
    aggregate_id TEXT NOT NULL REFERENCES event_sequence(aggregate_id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    created INTEGER NOT NULL DEFAULT 0,
    type TEXT NOT NULL,
    data TEXT NOT NULL
  )`,
  `CREATE TABLE session_v2 (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    workspace_id TEXT,
    parent_id TEXT,
    fork_session_id TEXT,
    fork_boundary INTEGER,
    slug TEXT NOT NULL,
    directory TEXT NOT NULL,
    path TEXT,
    title TEXT,
    version TEXT NOT NULL,
    share_url TEXT,
    summary_additions INTEGER,
    summary_deletions INTEGER,
    summary_files INTEGER,
    summary_diffs TEXT,
    metadata TEXT,
    cost REAL NOT NULL DEFAULT 0,
    tokens_input INTEGER NOT NULL DEFAULT 0,
    tokens_output INTEGER NOT NULL DEFAULT 0,
    tokens_reasoning INTEGER NOT NULL DEFAULT 0,
    tokens_cache_read INTEGER NOT NULL DEFAULT 0,
    tokens_cache_write INTEGER NOT NULL DEFAULT 0,
    revert TEXT,
    permission TEXT,
    agent TEXT,
    model TEXT,
    time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL,
    time_idle INTEGER,
    time_viewed INTEGER,
    idle_outcome TEXT,
    time_compacting INTEGER,
    time_archived INTEGER,
    time_suspended INTEGER,
    resume_attempts INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE session_inbox (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session_v2(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    delivery TEXT NOT NULL,
    enqueued_seq INTEGER NOT NULL,
    time_created INTEGER NOT NULL
  )`,
  `CREATE TABLE session_message (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session_v2(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    seq INTEGER NOT NULL,
    time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL,
    data TEXT NOT NULL
  )`,
  `CREATE TABLE session_pending (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session_v2(id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    time_created INTEGER NOT NULL
  )`,
  `CREATE TABLE permission (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    time_created INTEGER NOT NULL
  )`,
  `CREATE TABLE instruction_state (
    session_id TEXT PRIMARY KEY,
    epoch_start INTEGER,
    through_seq INTEGER,
    initial_values TEXT,
    current_values TEXT
  )`,
  // The tables below are never read or written here; they exist so that a schema inspector meets every name.
  ...[
    "account",
    "account_state",
    "control_account",
    "credential",
    "instruction_blob",
    "instruction_entry",
    "project",
    "project_directory",
    "workspace",
    "worktree",
  ].map((name) => `CREATE TABLE ${name} (id TEXT PRIMARY KEY, data TEXT)`),
  `CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT)`,
];

const INDEXES = [
  `CREATE UNIQUE INDEX event_aggregate_seq_idx ON event (aggregate_id, seq)`,
  `CREATE INDEX event_aggregate_type_seq_idx ON event (aggregate_id, type, seq)`,
  `CREATE INDEX session_inbox_session_delivery_seq_idx ON session_inbox (session_id, delivery, enqueued_seq)`,
  `CREATE UNIQUE INDEX session_inbox_session_enqueued_seq_idx ON session_inbox (session_id, enqueued_seq)`,
  `CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq)`,
  `CREATE INDEX session_message_session_type_seq_idx ON session_message (session_id, type, seq)`,
  `CREATE INDEX session_message_session_time_created_id_idx ON session_message (session_id, time_created, id)`,
  `CREATE INDEX session_message_time_created_idx ON session_message (time_created)`,
  `CREATE INDEX session_v2_project_idx ON session_v2 (project_id)`,
  `CREATE INDEX session_v2_workspace_idx ON session_v2 (workspace_id)`,
  `CREATE INDEX session_v2_parent_idx ON session_v2 (parent_id)`,
  CLAIM_INDEX,
  `CREATE UNIQUE INDEX permission_project_action_resource_idx ON permission (project_id, action, resource)`,
];

/** Runs before anything else (host contract, section 2.4, step 1). */
export async function openSchema(
  db: Database,
  now: number,
  mutations: ReadonlySet<Mutation>,
  layout: TableLayout,
): Promise<void> {
  const tables = db
    .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = ?", "table")
    .map((row) => row.name)
    // The harness's own bookkeeping and workerd's reserved tables begin with an underscore.
    .filter((name) => !name.startsWith("_") && !name.startsWith("sqlite_"));
  if (tables.length === 0) {
    await db.transaction(() => {
      for (const statement of [...TABLES, ...INDEXES]) db.run(statement);
      for (const id of layout.migrations)
        db.run("INSERT INTO migration (id, time_completed) VALUES (?, ?)", id, now);
    });
    return;
  }
  if (!tables.includes("session_v2") && !tables.includes("session")) {
    throw new Error("Database is not empty and has no session table");
  }
  await migrate(db, layout, tables, now);
  if (mutations.has("sessionTableLost")) {
    await db.transaction(() => {
      db.run("DELETE FROM session_v2");
      db.run("DELETE FROM event_sequence");
    });
  }
}
