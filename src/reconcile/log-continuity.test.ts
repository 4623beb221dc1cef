import { describe, expect, it } from "vitest";
import type { LogEvent } from "../trace/records.ts";
import { lostBetween } from "./log-continuity.ts";

/** As far as continuity is concerned, a read is its events. */
const read = (events: LogEvent[]) => ({ events }) as Parameters<typeof lostBetween>[0];

const OPERATION = "op-1";
const admitted: LogEvent[] = [
  { seq: 0, type: "session.created" },
  { seq: 1, type: "session.inbox.enqueued", message: "msg_op-1" },
  { seq: 2, type: "session.execution.started" },
  { seq: 3, type: "session.inbox.delivered", message: "msg_op-1" },
];
const called = (made: string): LogEvent[] => [
  { seq: 4, type: "session.step.started", message: `msg_${made}` },
  { seq: 5, type: "session.tool.called", call: `call_${made}` },
];

describe("what is left of an earlier read of a log", () => {
  it("is everything when the log only went on", () => {
    const earlier = [...admitted, ...called("a")];
    const later = [...earlier, { seq: 6, type: "session.execution.succeeded" }];
    expect(lostBetween(read(earlier), read(later), OPERATION)).toEqual({ missing: [], changed: [], kept: 2 });
  });

  it("is nothing when the same operation began a log anew, although its first events read the same", () => {
    const earlier = [...admitted, ...called("a")];
    const later = [...admitted, ...called("b")];
    expect(lostBetween(read(earlier), read(later), OPERATION)).toEqual({
      missing: [],
      changed: [4, 5],
      kept: 0,
    });
  });

  it("is what has no made id, when the earlier read ended before there was one", () => {
    expect(lostBetween(read(admitted), read([...admitted, ...called("a")]), OPERATION).kept).toBe(4);
  });

  it("names what is missing", () => {
    const later = [...admitted, ...called("a").slice(1)];
    expect(lostBetween(read([...admitted, ...called("a")]), read(later), OPERATION)).toEqual({
      missing: [4],
      changed: [],
      kept: 1,
    });
  });
});
