import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { LogEvent } from "../trace/index.ts";
import { findDisorder, inspectLog } from "./session-log.ts";

const event = (seq: number, type = "session.renamed", data: Record<string, unknown> = {}) => ({
  id: `evt_${seq}`,
  created: 1,
  type,
  data: { sessionID: "ses_root", ...data },
  durable: { aggregateID: "ses_root", seq, version: 1 },
});
const synced = (seq?: number) => ({
  type: "log.synced",
  aggregateID: "ses_root",
  ...(seq === undefined ? {} : { seq }),
});
const seqs = (events: readonly LogEvent[]) => events.map(({ seq }) => seq);
const fromStart = (...items: unknown[]) => inspectLog(items, { after: null });

describe("an undamaged log", () => {
  test("is read whole, in order, with its watermark", () => {
    const read = fromStart(event(0), event(1), event(2), synced(2));
    expect(read).toMatchObject({
      events: [0, 1, 2].map((seq) => ({ seq, type: "session.renamed" })),
      synced: 2,
      gaps: [],
      duplicates: [],
      unreadable: 0,
    });
  });

  test("that is empty has the watermark -1, and none when the marker is missing", () => {
    expect(fromStart(synced())).toMatchObject({ events: [], synced: -1, gaps: [], unreadable: 0 });
    expect(fromStart()).toMatchObject({ events: [], synced: null, gaps: [], unreadable: 0 });
  });

  test("may begin later than at 0, where its keeper says so", () => {
    const read = (first: number) => inspectLog([event(1), synced(1)], { after: null, first });
    expect(read(1).gaps).toEqual([]);
    expect(read(0).gaps).toEqual([{ from: 0, to: 0 }]);
  });

  test("is read on from a cursor", () => {
    expect(inspectLog([event(5), event(6), synced(6)], { after: 4 })).toMatchObject({ gaps: [], synced: 6 });
    expect(inspectLog([synced(4)], { after: 4 })).toMatchObject({ gaps: [], synced: 4 });
  });

  test("keeps the version of an event's type, where there is one", () => {
    const [first] = fromStart(event(0, "session.renamed")).events;
    expect(first?.version).toBe(1);
    const untold = { id: "e", type: "t", data: {}, durable: { aggregateID: "ses_root", seq: 0 } };
    expect(inspectLog([untold], { after: null }).events).toEqual([{ seq: 0, type: "t" }]);
  });

  test("keeps event types that nobody here knows", () => {
    expect(fromStart(event(0, "session.brand.new")).events).toMatchObject([
      { seq: 0, type: "session.brand.new" },
    ]);
  });
});

describe("damage", () => {
  test("a gap is found at the start, in the middle, and before the watermark", () => {
    expect(fromStart(event(2), event(5), synced(7)).gaps).toEqual([
      { from: 0, to: 1 },
      { from: 3, to: 4 },
      { from: 6, to: 7 },
    ]);
    expect(inspectLog([event(9)], { after: 6 }).gaps).toEqual([{ from: 7, to: 8 }]);
  });

  test("a repeated event is listed and kept once", () => {
    const read = fromStart(event(0), event(1), event(1));
    expect(read.duplicates).toEqual([1]);
    expect(seqs(read.events)).toEqual([0, 1]);
  });

  test("two events under one number are listed and both kept", () => {
    const read = fromStart(event(0, "a"), { ...event(0, "b"), id: "evt_other" });
    expect(read.duplicates).toEqual([0]);
    expect(read.events.map(({ type }) => type)).toEqual(["a", "b"]);
  });

  test("disorder is no gap, and is told apart", () => {
    const items = [event(0), event(2), event(1), event(3)];
    expect(seqs(fromStart(...items).events)).toEqual([0, 1, 2, 3]);
    expect(fromStart(...items)).toMatchObject({ gaps: [], duplicates: [] });
    expect(findDisorder(items)).toEqual([1]);
    expect(findDisorder([event(0), event(0), event(1), synced(1)])).toEqual([]);
  });

  test.each([
    ["null", null],
    ["a text", "event"],
    ["an event that is not durable", { id: "evt_1", type: "session.text.delta", data: {} }],
    ["an event without a type", { ...event(1), type: undefined }],
    ["a negative seq", { ...event(1), durable: { aggregateID: "ses_root", seq: -2 } }],
    ["a seq that is no whole number", { ...event(1), durable: { aggregateID: "ses_root", seq: 1.5 } }],
    ["an event of another aggregate", { ...event(1), durable: { aggregateID: "ses_other", seq: 1 } }],
  ])("%s is counted as unreadable", (_title, item) => {
    expect(fromStart(event(0), item)).toMatchObject({ unreadable: 1, events: [{ seq: 0 }] });
  });

  test("every item is an event, a repeat, the marker, or counted, and every observation is recordable", () => {
    const anything = fc.oneof(
      fc.integer({ min: 0, max: 9 }).map((seq) => event(seq)),
      fc.constant(synced(9)),
      fc.anything(),
    );
    fc.assert(
      fc.property(fc.array(anything), (items) => {
        const read = fromStart(...items);
        z.array(LogEvent).parse(read.events);
        const durable = items.filter((item) => (item as { durable?: unknown } | null)?.durable !== undefined);
        const markers = items.filter((item) => (item as { type?: unknown } | null)?.type === "log.synced");
        expect(read.unreadable).toBe(items.length - durable.length - markers.length);
        expect(read.events.length + read.duplicates.length).toBeLessThanOrEqual(durable.length);
      }),
    );
  });
});

describe("an event about a tool call", () => {
  const call = { assistantMessageID: "msg_1", id: "call_1" };

  test("names call, message and error; the tool is known from the call's first event", () => {
    const read = fromStart(
      event(0, "session.tool.input.started", { ...call, name: "ledger_commit" }),
      event(1, "session.tool.called", { ...call, input: {}, executed: false }),
      event(2, "session.tool.failed", { ...call, error: { type: "aborted", message: "interrupted" } }),
    );
    const common = { call: "call_1", tool: "ledger_commit", message: "msg_1" };
    expect(read.events).toMatchObject([
      { seq: 0, type: "session.tool.input.started", ...common },
      { seq: 1, type: "session.tool.called", ...common },
      { seq: 2, type: "session.tool.failed", ...common, error: "aborted: interrupted" },
    ]);
  });

  test("is read in the old spelling", () => {
    expect(
      fromStart(event(0, "session.next.tool.called", { callID: "c", tool: "bash" })).events,
    ).toMatchObject([{ seq: 0, type: "session.next.tool.called", call: "c", tool: "bash" }]);
  });

  test("an id in any other event is no call", () => {
    expect(fromStart(event(0, "session.skill.activated", { id: "skill", name: "n" })).events).toEqual([
      { seq: 0, type: "session.skill.activated", version: 1 },
    ]);
  });

  test("calls inside a program are shown behind it as wrapped", () => {
    const metadata = {
      toolCalls: [{ tool: "ledger_commit", status: "completed" }, { tool: "other", status: "error" }, 5],
    };
    const read = fromStart(
      event(0, "session.tool.input.started", { ...call, name: "execute" }),
      event(1, "session.tool.success", { ...call, metadata }),
    );
    const nested = { seq: 1, type: "session.tool.success", call: "call_1", message: "msg_1", wrapped: true };
    expect(read.events.slice(1)).toMatchObject([
      { seq: 1, type: "session.tool.success", call: "call_1", tool: "execute", message: "msg_1" },
      { ...nested, tool: "ledger_commit" },
      { ...nested, tool: "other", error: "status error" },
      { ...nested, tool: "(unreadable)" },
    ]);
    expect(read.duplicates).toEqual([]);
  });
});
