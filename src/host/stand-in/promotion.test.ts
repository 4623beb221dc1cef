import { expect, test } from "vitest";
import type { Delivery, InboxItem, InboxType } from "../types/inbox-types.ts";
import { promotable } from "./promotion.ts";

function item(id: string, delivery: Delivery, type: InboxType = "user"): InboxItem {
  return { id, sessionID: "ses_root", timeCreated: 0, type, payload: { text: id }, delivery } as InboxItem;
}

const ids = (items: InboxItem[]) => items.map(({ id }) => id);

test("nothing pending, nothing promoted", () => {
  expect(promotable([], "idle")).toEqual([]);
  expect(promotable([], "step")).toEqual([]);
});

test("all steers go before anything queued, in order of admission", () => {
  const pending = [item("q1", "queue"), item("s1", "steer"), item("q2", "queue"), item("s2", "steer")];
  expect(ids(promotable(pending, "idle"))).toEqual(["s1", "s2"]);
  expect(ids(promotable(pending, "step"))).toEqual(["s1", "s2"]);
});

test("one queued input per idle boundary, none in the middle of work", () => {
  const pending = [item("q1", "queue"), item("q2", "queue")];
  expect(ids(promotable(pending, "idle"))).toEqual(["q1"]);
  expect(promotable(pending, "step")).toEqual([]);
});

test("steers stop at a control item, which then goes alone and only when the work is at rest", () => {
  const compact = item("c", "steer", "compaction");
  const pending = [item("s1", "steer"), compact, item("s2", "steer")];
  expect(ids(promotable(pending, "idle"))).toEqual(["s1"]);
  expect(ids(promotable(pending.slice(1), "idle"))).toEqual(["c"]);
  expect(promotable(pending.slice(1), "step")).toEqual([]);
});

test("a queued control item waits for its turn among the queued inputs", () => {
  const pending = [item("q1", "queue"), item("c", "queue", "compaction")];
  expect(ids(promotable(pending, "idle"))).toEqual(["q1"]);
  expect(ids(promotable(pending.slice(1), "idle"))).toEqual(["c"]);
});
