import { expect, test } from "vitest";
import { createIds, messageIdOfEvent } from "./host-ids.ts";

test("ids sort in the order in which they were made, even while the clock stands still", () => {
  let now = 1_800_000_000_000;
  const ids = createIds(
    () => now,
    () => 0.5,
  );
  const made = Array.from({ length: 5_000 }, () => ids.next("evt"));
  now += 1;
  made.push(ids.next("evt"));
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test("ids keep their order when the clock goes back", () => {
  let now = 2_000;
  const ids = createIds(
    () => now,
    () => 0,
  );
  const before = ids.next("evt");
  now = 1_000;
  expect(ids.next("evt") > before).toBe(true);
});

test("an id is a prefix, 16 hex digits of time × 4096 and 12 base62 characters", () => {
  const ids = createIds(
    () => 1_000,
    () => 0.999,
  );
  expect(ids.next("ses")).toBe(`ses_${(1_000 * 4096).toString(16).padStart(16, "0")}zzzzzzzzzzzz`);
});

test("a message made by an event carries the event's id", () => {
  expect(messageIdOfEvent("evt_0123")).toBe("msg_0123");
});
