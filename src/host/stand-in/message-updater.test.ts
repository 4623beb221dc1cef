import { expect, test } from "vitest";
import type { DurableEventMap } from "../types/events.ts";
import type { AssistantMessage } from "../types/messages.ts";
import { type AssistantEvent, type AssistantEventType, updateAssistant } from "./message-updater.ts";

const START: AssistantMessage = {
  id: "msg_a",
  type: "assistant",
  agent: "build",
  model: { providerID: "fake", id: "main" },
  content: [],
  time: { created: 1 },
};

type Fields<T extends AssistantEventType> = Omit<DurableEventMap[T], "sessionID" | "assistantMessageID">;

function event<T extends AssistantEventType>(type: T, created: number, fields: Fields<T>): AssistantEvent {
  return {
    id: "evt_1",
    created,
    type,
    data: { sessionID: "ses_root", assistantMessageID: "msg_a", ...fields },
    durable: { aggregateID: "ses_root", seq: 0, version: 1 },
  } as unknown as AssistantEvent;
}

const apply = (...events: AssistantEvent[]) => events.reduce(updateAssistant, START);

test("a started part is empty until it has ended", () => {
  const started = event("session.text.started", 2, { ordinal: 0 });
  expect(apply(started).content).toEqual([{ type: "text", text: "" }]);
  expect(apply(started, event("session.text.ended", 3, { ordinal: 0, text: "all" })).content).toEqual([
    { type: "text", text: "all" },
  ]);
});

test("ordinals count the parts of one kind", () => {
  const message = apply(
    event("session.reasoning.started", 2, { ordinal: 0 }),
    event("session.text.started", 3, { ordinal: 0 }),
    event("session.text.started", 4, { ordinal: 1 }),
    event("session.text.ended", 5, { ordinal: 1, text: "second" }),
    event("session.reasoning.ended", 6, { ordinal: 0, text: "why" }),
  );
  expect(message.content).toEqual([
    { type: "reasoning", text: "why", time: { created: 2, completed: 6 } },
    { type: "text", text: "" },
    { type: "text", text: "second" },
  ]);
});

test("a call goes from streaming through running to completed", () => {
  const streaming = [
    event("session.tool.input.started", 2, { id: "c", name: "charge" }),
    event("session.tool.input.ended", 3, { id: "c", text: '{"a":1}' }),
  ];
  expect(apply(...streaming).content).toMatchObject([{ state: { status: "streaming", input: '{"a":1}' } }]);
  const running = [
    ...streaming,
    event("session.tool.called", 4, { id: "c", input: { a: 1 }, executed: false }),
  ];
  expect(apply(...running).content).toMatchObject([
    { executed: false, state: { status: "running", input: { a: 1 }, metadata: {} }, time: { ran: 4 } },
  ]);
  const content = [{ type: "text" as const, text: "ok" }];
  const done = event("session.tool.success", 5, { id: "c", content, executed: false });
  expect(apply(...running, done).content).toMatchObject([
    { state: { status: "completed", input: { a: 1 }, content }, time: { created: 2, ran: 4, completed: 5 } },
  ]);
});

test("a call that fails while streaming has no input", () => {
  const error = { type: "aborted", message: "gone" };
  const message = apply(
    event("session.tool.input.started", 2, { id: "c", name: "charge" }),
    event("session.tool.failed", 3, { id: "c", error, executed: false }),
  );
  expect(message.content).toMatchObject([{ state: { status: "error", input: {}, error } }]);
});

test("starting the same step again clears error, finish and completion", () => {
  const error = { type: "provider.internal", message: "503" };
  const failed = apply(event("session.step.failed", 2, { error }));
  expect(failed).toMatchObject({ error, time: { created: 1, completed: 2 } });
  const { agent, model } = START;
  expect(updateAssistant(failed, event("session.step.started", 3, { agent, model, started: 3 }))).toEqual(
    START,
  );
});
