import { expect, test } from "vitest";
import { payloadsOf } from "./event-payloads.ts";
import { type LoggedEvent, labelsOf, nameOf, show, shownOf } from "./normalise.ts";

function event(type: string, data: Record<string, unknown>, version = 1): LoggedEvent {
  return { id: `evt_${type}`, type, data, durable: { aggregateID: "ses_1", seq: 0, version } };
}

test("takes either generation's prefix off, and nothing else", () => {
  expect([nameOf("session.next.step.started"), nameOf("session.step.started"), nameOf("log.synced")]).toEqual(
    ["step.started", "step.started", "log.synced"],
  );
});

test("names inputs by their text in the delivery too, where the newer generation gives only the id", () => {
  const labels = labelsOf([
    event("session.inbox.enqueued", { inboxID: "msg_1", item: { payload: { text: "Hello." } } }),
    event("session.inbox.delivered", { inboxID: "msg_1" }),
    event("session.inbox.delivered", { inboxID: "msg_2" }),
  ]);
  expect(labels.map(show)).toEqual([
    "inbox.enqueued (Hello.)",
    "inbox.delivered (Hello.)",
    "inbox.delivered (an input unknown to the log)",
  ]);
});

test("names calls by the model's id under either field", () => {
  const labels = labelsOf([
    event("session.next.tool.called", { callID: "call_a" }),
    event("session.tool.called", { id: "call_a" }),
  ]);
  expect(labels.map(show)).toEqual(["tool.called (call_a)", "tool.called (call_a)"]);
});

test("keeps the words of the user and of results, and of an error its message", () => {
  const shown = shownOf(
    [
      { role: "system", content: "You are …" },
      { role: "user", content: "Do it." },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", function: { name: "bash", arguments: '{ "url": "http://world:1/x" }' } }],
      },
      { role: "tool", tool_call_id: "c1", content: "done\nexit code 0" },
      { role: "tool", tool_call_id: "c2", content: '{"error":{"type":"unknown","message":"gone"}}' },
      { role: "tool", tool_call_id: "c3", content: "Error: gone" },
      { role: "user", content: "The host restarted." },
    ],
    "http://world:1",
  );
  expect(shown).toEqual([
    "system",
    "user: Do it.",
    'assistant: c1 bash {"url":"<world>/x"}',
    "tool c1: done",
    "tool c2: error: gone",
    "tool c3: error: gone",
    "user: <restart notice>",
  ]);
});

test("compares the payloads of events that both sides wrote, optional fields included", () => {
  const { server, standIn } = payloadsOf(
    [
      event("session.next.prompted", { a: 1 }),
      event("session.next.prompted", { b: 1 }),
      event("session.next.x", {}),
    ],
    [event("session.inbox.delivered", { b: 1 }, 2), event("session.y", {})],
    [{ kind: "renamed", server: "prompted", standIn: "inbox.delivered", reason: "renamed" }],
  );
  expect(server.map(({ rule, found }) => [rule, found])).toEqual([
    ["payload.inbox.delivered", { kind: "value", value: "v1: a b" }],
  ]);
  expect(standIn.map(({ rule, found }) => [rule, found])).toEqual([
    ["payload.inbox.delivered", { kind: "value", value: "v2: b" }],
  ]);
});
