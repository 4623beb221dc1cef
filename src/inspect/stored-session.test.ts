import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Query } from "./foreign.ts";
import { inspectTranscript } from "./messages.ts";
import { inspectLog } from "./session-log.ts";
import { readStoredLog, readStoredMessages } from "./stored-session.ts";

function database(...statements: string[]): Query {
  const db = new DatabaseSync(":memory:");
  for (const statement of statements) db.exec(statement);
  return (sql, ...params) => db.prepare(sql).all(...params);
}

const TABLES = [
  "CREATE TABLE opencode_event_sequence (aggregate_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, owner_id TEXT)",
  "CREATE TABLE opencode_event (id TEXT PRIMARY KEY, aggregate_id TEXT, seq INTEGER, created INTEGER, type TEXT, data TEXT)",
  "CREATE TABLE opencode_session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, data TEXT)",
  "CREATE TABLE opencode_session_v2 (id TEXT PRIMARY KEY, time_suspended INTEGER, resume_attempts INTEGER)",
];
const SESSIONS = "INSERT INTO opencode_session_v2 VALUES ('ses_root', NULL, 0), ('ses_x', NULL, 0)";

describe("a stored log", () => {
  test("reads as the log that the harness would give, of that session alone", () => {
    const query = database(
      ...TABLES,
      SESSIONS,
      "INSERT INTO opencode_event_sequence VALUES ('ses_root', 1, NULL), ('ses_x', 0, NULL)",
      `INSERT INTO opencode_event VALUES
        ('evt_b', 'ses_root', 1, 8, 'session.tool.failed.2', '{"sessionID":"ses_root","id":"call_1","error":{"type":"aborted","message":"m"}}'),
        ('evt_a', 'ses_root', 0, 7, 'session.created.1', '{"sessionID":"ses_root"}'),
        ('evt_x', 'ses_x', 0, 7, 'session.created.1', '{}')`,
    );
    const { items, error } = readStoredLog(query, "ses_root");
    expect(error).toBeNull();
    expect(items[0]).toEqual({
      id: "evt_a",
      created: 7,
      type: "session.created",
      data: { sessionID: "ses_root" },
      durable: { aggregateID: "ses_root", seq: 0, version: 1 },
    });
    expect(inspectLog(items, { after: null })).toMatchObject({
      events: [
        { seq: 0, type: "session.created" },
        { seq: 1, type: "session.tool.failed", call: "call_1", error: "aborted: m" },
      ],
      synced: 1,
      gaps: [],
      duplicates: [],
      unreadable: 0,
    });
  });

  test("of no event has only the marker of an empty log", () => {
    const { items, error } = readStoredLog(database(...TABLES, SESSIONS), "ses_root");
    expect(error).toBeNull();
    expect(inspectLog(items, { after: null })).toMatchObject({
      events: [],
      synced: -1,
      gaps: [],
      unreadable: 0,
    });
  });

  test("shows a damaged row as unreadable, and the gap that it leaves", () => {
    const query = database(
      ...TABLES,
      "INSERT INTO opencode_event_sequence VALUES ('ses_root', 2, NULL)",
      `INSERT INTO opencode_event VALUES ('evt_a', 'ses_root', 0, 7, 'session.created.1', '{}'),
        ('evt_b', 'ses_root', 1, 7, 'session.renamed.1', '{"title":'), ('evt_c', 'ses_root', 2, 7, 'session.renamed.1', '{}')`,
    );
    expect(inspectLog(readStoredLog(query, "ses_root").items, { after: null })).toMatchObject({
      unreadable: 1,
      gaps: [{ from: 1, to: 1 }],
      synced: 2,
    });
  });

  test("that is not there is an error", () => {
    expect(readStoredLog(database(), "ses_root")).toEqual({
      items: [],
      error: "cannot read the event table: no such table: opencode_event",
    });
    expect(readStoredLog(database(TABLES[1]!, TABLES[3]!, SESSIONS), "ses_root")).toEqual({
      items: [],
      error: "cannot read the event sequence: no such table: opencode_event_sequence",
    });
  });

  test("of a session that the file does not hold is no empty log: it names those that there are", () => {
    const query = database(
      ...TABLES,
      SESSIONS,
      "INSERT INTO opencode_event VALUES ('evt_a', 'ses_lone', 0, 7, 'session.created.1', '{}')",
    );
    const error = "there is no session ses_gone; the file holds ses_lone, ses_root, ses_x";
    expect(readStoredLog(query, "ses_gone")).toEqual({ items: [], error });
    expect(readStoredMessages(query, "ses_gone")).toEqual({ items: [], error });
    expect(readStoredLog(database(...TABLES), "ses_gone").error).toBe(
      "there is no session ses_gone; the file holds none",
    );
  });

  test("without a row of its session is read, and named", () => {
    const event = "INSERT INTO opencode_event VALUES ('evt_a', 'ses_root', 0, 7, 'session.created.1', '{}')";
    const { items, error } = readStoredLog(database(...TABLES, event), "ses_root");
    expect(inspectLog(items, { after: null }).events).toMatchObject([{ seq: 0 }]);
    expect(error).toBe(
      "session ses_root has rows in opencode_event, and it has no row in opencode_session_v2",
    );
    expect(readStoredLog(database(...TABLES.slice(0, 3), event), "ses_root").error).toBe(
      "session ses_root has rows in opencode_event, and there is no table of sessions",
    );
  });
});

describe("a stored transcript", () => {
  test("reads as the messages that the harness would give; a damaged one is unreadable", () => {
    const query = database(
      ...TABLES,
      SESSIONS,
      `INSERT INTO opencode_session_message VALUES ('msg_b', 'ses_root', 'idle', 2, '{"outcome":"succeeded"}'),
        ('msg_a', 'ses_root', 'user', 1, '{"text":"hello","time":{"created":1}}'), ('msg_c', 'ses_root', 'user', 3, 'x')`,
    );
    const { items, error } = readStoredMessages(query, "ses_root");
    expect(error).toBeNull();
    expect(inspectTranscript(items)).toMatchObject([
      { id: "msg_a", type: "user", text: "hello" },
      { id: "msg_b", type: "idle", outcome: "succeeded" },
      { id: "msg_c", type: "unreadable" },
    ]);
  });

  test("that is not there is an error", () => {
    expect(readStoredMessages(database(), "ses_root").error).toBe(
      "cannot read the message table: no such table: opencode_session_message",
    );
  });
});
