import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { LogEvent, MessageObservation } from "../trace/index.ts";
import { contentHash } from "./content-hash.ts";
import { inspectTranscript } from "./messages.ts";
import { inspectLog } from "./session-log.ts";
import { inspectSchema } from "./sqlite-schema.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const of = (value: unknown) => contentHash(value, sha256);

describe("the fingerprint of a value", () => {
  test("is the beginning of the SHA-256 of its canonical JSON", () => {
    expect(of({ b: [2, { d: 1, c: null }], a: "x" })).toBe(
      sha256('{"a":"x","b":[2,{"c":null,"d":1}]}').slice(0, 16),
    );
  });

  test("does not depend on the order of fields, at any depth, nor on fields that are undefined", () => {
    expect(of({ a: { b: 1, c: 2 }, d: undefined })).toBe(of({ a: { c: 2, b: 1 } }));
    expect(of([1, 2])).not.toBe(of([2, 1]));
  });

  test("exists of whatever a reader may come upon", () => {
    for (const value of [undefined, null, "", 0, Number.NaN, 12n, [], { a: 5n }])
      expect(of(value)).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("observations with a fingerprint", () => {
  const event = (title: string) => ({
    id: "evt_1",
    type: "session.renamed",
    data: { title },
    durable: { aggregateID: "ses_root", seq: 0, version: 1 },
  });
  const logOf = (...items: unknown[]) => inspectLog(items, { after: null, hash: sha256 });

  test("show a change of an event in a field that is not kept", () => {
    const [before] = logOf(event("a")).events;
    const [after] = logOf(event("b")).events;
    expect(LogEvent.parse(before)).toMatchObject({ seq: 0, type: "session.renamed", hash: of(event("a")) });
    expect(after?.hash).not.toBe(before?.hash);
  });

  test("keep an event that comes a second time with another content, and not one that comes as it was", () => {
    expect(logOf(event("a"), event("a"))).toMatchObject({ events: [{ seq: 0 }], duplicates: [0] });
    const { events, duplicates } = logOf(event("a"), event("b"));
    expect(events.map(({ hash }) => hash)).toEqual([of(event("a")), of(event("b"))]);
    expect(duplicates).toEqual([0]);
  });

  test("of calls made inside a program carry none of their own: the outer event's covers them", () => {
    const program = (tool: string) => ({
      ...event("x"),
      type: "session.tool.success",
      data: { id: "call_1", name: "execute", metadata: { toolCalls: [{ tool, status: "completed" }] } },
    });
    const [outer, nested] = logOf(program("ledger_commit")).events;
    expect(nested).toMatchObject({ wrapped: true, tool: "ledger_commit" });
    expect(nested?.hash).toBeUndefined();
    expect(outer?.hash).not.toBe(logOf(program("other")).events[0]?.hash);
  });

  test("show a change of a message beyond the text that is kept, and of one that cannot be read", () => {
    const hashOf = (message: unknown) =>
      MessageObservation.parse(inspectTranscript([message], sha256)[0]).hash;
    const long = (end: string) => ({ id: "msg_1", type: "user", text: `${"x".repeat(3_000)}${end}` });
    expect(hashOf(long("a"))).toBe(of(long("a")));
    expect(hashOf(long("a"))).not.toBe(hashOf(long("b")));
    expect(hashOf("no message")).toBe(of("no message"));
  });

  test("show a change of a table's statement", () => {
    const tableOf = (statement: string) => {
      const db = new DatabaseSync(":memory:");
      db.exec(statement);
      return inspectSchema((sql) => db.prepare(sql).all(), sha256).tables;
    };
    expect(tableOf("CREATE TABLE a (x)")).toEqual([
      { name: "a", rows: 0, sql: sha256("CREATE TABLE a (x)").slice(0, 16) },
    ]);
    expect(tableOf("CREATE TABLE a (x, y)")).not.toEqual(tableOf("CREATE TABLE a (x)"));
  });
});
