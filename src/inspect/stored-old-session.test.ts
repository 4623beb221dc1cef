import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { Query } from "./foreign.ts";
import { inspectTranscript } from "./messages.ts";
import { inspectLog } from "./session-log.ts";
import {
  notBegun,
  readOldInputs,
  readOldLog,
  readOldMessages,
  readOldWatermark,
} from "./stored-old-session.ts";

function database(...statements: string[]): Query {
  const db = new DatabaseSync(":memory:");
  for (const statement of statements) db.exec(statement);
  return (sql, ...params) => db.prepare(sql).all(...params);
}

/** As `sqlite_schema` of the server has them, without the columns that are not read. */
const TABLES = [
  "CREATE TABLE event (id text PRIMARY KEY, aggregate_id text, seq integer, type text, data text)",
  "CREATE TABLE event_sequence (aggregate_id text PRIMARY KEY, seq integer, owner_id text)",
  "CREATE TABLE message (id text PRIMARY KEY, session_id text, data text)",
  "CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text)",
  "CREATE TABLE session_message (id text PRIMARY KEY, session_id text, type text, seq integer, data text)",
  "CREATE TABLE session (id text PRIMARY KEY)",
  "INSERT INTO session VALUES ('ses_1'), ('ses_core'), ('ses_old')",
];

describe("a stored log of the server", () => {
  const query = database(
    ...TABLES,
    "INSERT INTO event_sequence VALUES ('ses_1', 2, NULL)",
    `INSERT INTO event VALUES
      ('evt_c', 'ses_1', 2, 'session.next.tool.called.1', '{"callID":"call_1","tool":"bash"}'),
      ('evt_a', 'ses_1', 0, 'session.created.1', '{}'),
      ('evt_b', 'ses_1', 1, 'session.next.prompt.admitted.1', '{"messageID":"msg_1"}'),
      ('evt_x', 'ses_2', 0, 'session.created.1', '{}')`,
  );

  test("has every event of its session, also the first, which the server does not give", () => {
    const { items, error } = readOldLog(query, "ses_1");
    expect(error).toBeNull();
    expect(inspectLog(items, { after: null })).toMatchObject({
      events: [
        { seq: 0, type: "session.created" },
        { seq: 1, type: "session.next.prompt.admitted", message: "msg_1" },
        { seq: 2, type: "session.next.tool.called", call: "call_1", tool: "bash" },
      ],
      synced: 2,
      gaps: [],
    });
  });

  test("of a session that the file does not hold names those that there are", () => {
    expect(readOldLog(query, "ses_9")).toEqual({
      items: [],
      error: "there is no session ses_9; the file holds ses_1, ses_2, ses_core, ses_old",
    });
    expect(readOldLog(query, "ses_2").error).toBe(
      "session ses_2 has rows in event, and it has no row in session",
    );
    expect(readOldMessages(query, "ses_9").error).toMatch(/^there is no session ses_9/);
  });

  test("says where it ends by another table than that of its events", () => {
    const served = readOldLog(query, "ses_1").items.slice(1, 2);
    const { items } = readOldWatermark(query, "ses_1");
    expect(inspectLog([...served, ...items], { after: null, first: 1 })).toMatchObject({
      synced: 2,
      gaps: [{ from: 2, to: 2 }],
    });
  });
});

describe("stored messages of the server", () => {
  test("of its /api core and of its /session API are read alike", () => {
    const query = database(
      ...TABLES,
      `INSERT INTO session_message VALUES
        ('msg_2', 'ses_core', 'assistant', 3, '{"content":[{"type":"tool","id":"call_1","name":"bash","state":{"status":"running"}}]}'),
        ('msg_1', 'ses_core', 'user', 2, '{"text":"do it"}')`,
      `INSERT INTO message VALUES
        ('msg_2', 'ses_old', '{"role":"assistant"}'), ('msg_1', 'ses_old', '{"role":"user"}')`,
      `INSERT INTO part VALUES
        ('prt_2', 'msg_2', 'ses_old', '{"type":"tool","callID":"call_1","tool":"bash","state":{"status":"running"}}'),
        ('prt_1', 'msg_1', 'ses_old', '{"type":"text","text":"do it"}')`,
    );
    const expected = [
      { id: "msg_1", type: "user", text: "do it" },
      { id: "msg_2", type: "assistant", tools: [{ call: "call_1", tool: "bash", status: "running" }] },
    ];
    for (const session of ["ses_core", "ses_old"])
      expect(inspectTranscript(readOldMessages(query, session).items)).toEqual(expected);
  });

  test("that cannot be read are an error, or unreadable one by one", () => {
    expect(readOldMessages(database(), "ses_1").error).toContain("no such table");
    const damaged = database(...TABLES, "INSERT INTO message VALUES ('msg_1', 'ses_1', '{')");
    expect(inspectTranscript(readOldMessages(damaged, "ses_1").items)).toMatchObject([
      { type: "unreadable" },
    ]);
  });
});

describe("the prompts that a session of the server accepted", () => {
  test("are there whether or not they were begun, in the order of their acceptance", () => {
    const query = database(
      "CREATE TABLE session_input (id text PRIMARY KEY, session_id text, admitted_seq integer, promoted_seq integer)",
      "INSERT INTO session_input VALUES ('msg_b', 'ses_1', 3, NULL), ('msg_a', 'ses_1', 1, 2), ('msg_x', 'ses_2', 1, NULL)",
    );
    const inputs = readOldInputs(query, "ses_1");
    expect(inputs).toEqual([
      { id: "msg_a", begun: true },
      { id: "msg_b", begun: false },
    ]);
    expect(notBegun(inputs, { first: ["msg_a"], second: ["msg_y", "msg_b"] })).toEqual([
      { operationId: "second", status: "admitted" },
    ]);
    expect(notBegun(inputs, {})).toEqual([{ operationId: "msg_b", status: "admitted" }]);
    expect(readOldInputs(query, "ses_9")).toEqual([]);
  });

  test("are none in a release without a table of them", () => {
    expect(readOldInputs(database(...TABLES), "ses_1")).toEqual([]);
  });
});
