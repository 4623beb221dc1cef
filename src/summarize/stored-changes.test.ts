import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TableObservation } from "../trace/observations.ts";
import { losesRows, type Stored, storedChanges } from "./stored-changes.ts";

const EMPTY: Stored = {
  subject: "opencode",
  schema: null,
  events: [],
  emptied: new Map(),
  undecodable: [],
  refusals: [],
};

const table = (name: string, ...columns: string[]): TableObservation => ({
  name,
  rows: 1,
  statement: `CREATE TABLE ${name} (${columns.join(", ")})`,
  columns: columns.map((column) => ({ name: column, type: "TEXT" })),
});

function stored(tables: readonly TableObservation[], more: Partial<Stored> = {}): Stored {
  return { ...EMPTY, schema: { tables, indexes: [] }, ...more };
}

describe("what is stored on two sides", () => {
  it("is told by columns, with the statements beside them", () => {
    const [change, ...others] = storedChanges(
      [stored([table("session", "id", "suspended"), table("left", "id")])],
      [stored([table("session", "id", "claimed"), table("come", "id")])],
    );
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      subject: "opencode",
      tables: { gone: ["left"], new: ["come"] },
      columns: [
        { table: "session", column: "suspended", before: "TEXT", after: null },
        { table: "session", column: "claimed", before: null, after: "TEXT" },
      ],
      statements: [
        {
          name: "session",
          before: "CREATE TABLE session (id, suspended)",
          after: "CREATE TABLE session (id, claimed)",
        },
      ],
    });
  });

  it("does not differ by its statements", () => {
    const quoted = { ...table("session", "id"), statement: 'CREATE TABLE "session" ("id")' };
    expect(storedChanges([stored([table("session", "id")])], [stored([quoted])])).toEqual([]);
  });

  it("is all that any trial of a side has, each subject's by itself", () => {
    const before = [stored([table("a", "id")]), stored([table("b", "id")])];
    expect(storedChanges(before, [stored([table("a", "id"), table("b", "id")])])).toEqual([]);
    const other = stored([table("a", "other")], { subject: "think" });
    expect(storedChanges([...before, other], [...before, other])).toEqual([]);
  });

  it("is not compared where a side was not read, nor logs where a side has none", () => {
    const told = stored([table("a", "id")], { events: [{ seq: 0, type: "created" }] });
    expect(storedChanges([told], [EMPTY])).toEqual([]);
    expect(storedChanges([EMPTY], [told])).toEqual([]);
  });

  it("differs in the types of events, by name and by version", () => {
    const events = (...types: (readonly [string, number])[]) =>
      stored([], { events: types.map(([type, version], seq) => ({ seq, type, version })) });
    const [change] = storedChanges([events(["old", 1], ["both", 1])], [events(["both", 2], ["new", 1])]);
    expect(change?.eventTypes).toEqual({
      gone: ["old"],
      new: ["new"],
      changed: [{ type: "both", before: [1], after: [2] }],
    });
  });

  it("lost rows where tables were emptied by the reset on this side alone", () => {
    const emptied = stored([], { emptied: new Map([["event", 7]]) });
    const changes = storedChanges([stored([])], [emptied]);
    expect(changes).toMatchObject([{ emptied: [{ table: "event", rows: 7 }] }]);
    expect(losesRows(changes)).toBe(true);
    expect(storedChanges([emptied], [emptied])).toEqual([]);
  });

  it("lost rows where some cannot be decoded on this side alone", () => {
    const broken = stored([], { undecodable: ["event: data is no JSON object"] });
    const changes = storedChanges([stored([])], [broken, broken]);
    expect(changes).toMatchObject([{ undecodable: ["event: data is no JSON object"] }]);
    expect(losesRows(changes)).toBe(true);
    expect(storedChanges([broken], [broken])).toEqual([]);
  });

  it("is the same as itself, however its trials are ordered", () => {
    const side = fc.array(
      fc.record({
        subject: fc.constantFrom("opencode", "think"),
        name: fc.constantFrom("a", "b"),
        rows: fc.nat(3),
        type: fc.constantFrom("created", "ended"),
      }),
    );
    fc.assert(
      fc.property(side, (drawn) => {
        const all = drawn.map(({ subject, name, rows, type }) =>
          stored([table(name, "id")], {
            subject,
            events: [{ seq: 0, type }],
            emptied: new Map(rows === 0 ? [] : [[name, rows]]),
          }),
        );
        expect(storedChanges(all, all.toReversed())).toEqual([]);
      }),
    );
  });
});
