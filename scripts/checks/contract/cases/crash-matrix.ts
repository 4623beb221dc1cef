/**
 * The crash matrix: host contract, section 9.3, rows 0 to 15. Each row: what was durable when the process died, what
 * the log gained afterwards, how often the model was asked, what the outside world saw, and how the operation ended.
 */
import { expect } from "vitest";
import { type Case, calls, ofType, ROOT, says, shown, toolParts } from "./case.ts";
import {
  ADMITTED,
  ANSWER,
  CALL,
  CALLED,
  claimed,
  DELIVERED,
  DONE,
  NOTICE_AND_START,
  RESULT,
  row,
  toolStates,
  unclaimed,
} from "./crash-row.ts";

export const CRASH_MATRIX: Case[] = [
  {
    name: "row 0: the wake job was pushed, nothing admitted → not found; a resubmission runs",
    section: "9.3",
    async run(lab) {
      const subject = await lab.subject({ crashes: [{ setup: true }] });
      await subject.submitIntoCrash("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "unanswered", reason: "not_found" });
      expect((await subject.bench()).boots[1]).toMatchObject({ ...unclaimed, inbox: [], messages: [] });
      expect(await subject.submit("go", { operationId: "op" })).toMatchObject({ accepted: true });
      expect(await subject.wait("op")).toMatchObject({ status: "done" });
      expect((await subject.bench()).requests).toHaveLength(1);
    },
  },

  {
    name: "row 1: inbox.enqueued → a normal run, without notice",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result } = await row(
        lab,
        { crashes: [{ event: "session.inbox.enqueued" }] },
        1,
      );
      expect(boot).toMatchObject({ ...unclaimed, inbox: [{ id: "msg_op", type: "user" }], events: ADMITTED });
      expect(added).toEqual(["execution.started", "inbox.delivered", ...ANSWER, ...DONE]);
      expect(modelCalls).toBe(1);
      expect(result).toMatchObject({ status: "done", text: "done" });
    },
  },

  {
    name: "row 2: execution.started → the notice comes before the input it interrupts",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result, subject } = await row(
        lab,
        { crashes: [{ event: "session.execution.started" }] },
        1,
      );
      expect(boot).toMatchObject({ ...claimed, inbox: [{ id: "msg_op" }], messages: [] });
      expect(added).toEqual([...NOTICE_AND_START, "inbox.delivered", ...ANSWER, ...DONE]);
      expect(modelCalls).toBe(1);
      const seen = shown((await subject.bench()).requests[0]);
      expect(seen).toMatchObject([{ content: expect.stringMatching(/restart/i) }, { content: "go" }]);
      expect(result).toMatchObject({ status: "done" });
    },
  },

  {
    name: "row 3: inbox.delivered, request in flight → asked again; nothing shows the first call",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result } = await row(
        lab,
        { script: [{ ...says("never"), hold: "request" }] },
        2,
        async (subject) => {
          await subject.until({ requests: 1 });
          await subject.drop();
        },
      );
      expect(boot).toMatchObject({ ...claimed, inbox: [], events: DELIVERED });
      expect(boot.messages.map((message) => message.type)).toEqual(["user"]);
      expect(added).toEqual([...NOTICE_AND_START, ...ANSWER, ...DONE]);
      expect(modelCalls).toBe(2);
      expect(result).toMatchObject({ status: "done", text: "done" });
    },
  },

  {
    name: "row 4: mid-stream → new assistant id, unfinished text lost",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result, subject } = await row(
        lab,
        { script: [{ ...says("half an answer"), hold: "text" }] },
        2,
        async (held) => {
          await held.untilTypes("text.started");
          await held.drop();
        },
      );
      expect(boot.events).toEqual([...DELIVERED, "step.started", "text.started"]);
      expect(boot.messages.at(-1)).toMatchObject({ data: { content: [{ type: "text", text: "" }] } });
      expect(boot).toMatchObject(claimed);
      expect(added).toEqual([...NOTICE_AND_START, ...ANSWER, ...DONE]);
      expect(modelCalls).toBe(2);
      const repeated = shown((await subject.bench()).requests[1]).map((message) => message.role);
      expect(repeated).toEqual(["user", "user"]);
      expect(result).toMatchObject({ status: "done", text: "done" });
    },
  },

  {
    name: "row 5: tool.input.started → the call is failed with empty input; the tool never ran",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, effects, subject } = await row(
        lab,
        { script: [{ ...calls("charge"), hold: "arguments" }] },
        2,
        async (held) => {
          await held.untilTypes("tool.input.started");
          await held.drop();
        },
      );
      expect(toolStates(boot)).toEqual([{ status: "streaming", input: "" }]);
      expect(added).toEqual([...NOTICE_AND_START, "tool.failed", ...ANSWER, ...DONE]);
      expect([modelCalls, effects]).toEqual([2, 0]);
      expect(toolParts(await subject.messages())[0]?.state).toMatchObject({
        status: "error",
        input: {},
        error: { type: "aborted" },
      });
    },
  },

  {
    name: "row 6: tool.called, before the effect → failed as aborted; the model calls again: one effect",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, effects } = await row(
        lab,
        { script: [calls("charge", "c1"), calls("charge", "c2")], crashes: [{ tool: "before-execute" }] },
        3,
      );
      expect(boot.events.slice(0, CALLED.length)).toEqual(CALLED);
      expect(toolStates(boot)).toEqual([{ status: "running", input: { order: "a" }, metadata: {} }]);
      expect(added).toEqual([...NOTICE_AND_START, "tool.failed", ...CALL, ...RESULT, ...ANSWER, ...DONE]);
      expect([modelCalls, effects]).toEqual([3, 1]);
    },
  },

  {
    name: "row 7: the effect, before tool.success → the same rows as 6, but a second call is a second effect",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, effects } = await row(
        lab,
        { script: [calls("charge", "c1"), calls("charge", "c2")], crashes: [{ tool: "after-execute" }] },
        3,
      );
      expect(boot.events.slice(0, CALLED.length)).toEqual(CALLED);
      expect(toolStates(boot)).toEqual([{ status: "running", input: { order: "a" }, metadata: {} }]);
      expect(added).toEqual([...NOTICE_AND_START, "tool.failed", ...CALL, ...RESULT, ...ANSWER, ...DONE]);
      expect([modelCalls, effects]).toEqual([3, 2]);
    },
  },

  {
    name: "row 8: tool.success, before step.ended → no repeat",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, effects, subject } = await row(
        lab,
        { script: [calls("charge")], crashes: [{ event: "session.tool.success" }] },
        2,
      );
      expect(toolStates(boot)).toMatchObject([{ status: "completed" }]);
      expect(boot.messages.at(-1)?.data).not.toHaveProperty("finish");
      expect(added).toEqual([...NOTICE_AND_START, ...ANSWER, ...DONE]);
      expect([modelCalls, effects]).toEqual([2, 1]);
      const repeated = shown((await subject.bench()).requests[1]);
      expect(repeated.find((message) => message.role === "tool")).toMatchObject({ content: "charged 1" });
    },
  },

  {
    name: "row 9: one of two calls settled → only the other is failed",
    section: "9.3",
    async run(lab) {
      const two = {
        calls: [
          { id: "c1", name: "hold", arguments: '{"order":"one"}' },
          { id: "c2", name: "hold", arguments: '{"order":"two"}' },
        ],
      };
      const { boot, added, modelCalls, effects, subject } = await row(
        lab,
        { script: [two] },
        2,
        async (held) => {
          await held.until({ effects: 2 });
          await held.open("tool-two");
          await held.untilTypes("tool.success");
          await held.drop();
        },
      );
      expect(toolStates(boot)).toMatchObject([{ status: "running" }, { status: "completed" }]);
      expect(added).toEqual([...NOTICE_AND_START, "tool.failed", ...ANSWER, ...DONE]);
      expect([modelCalls, effects]).toEqual([2, 2]);
      expect(toolParts(await subject.messages()).map((part) => [part.id, part.state.status])).toEqual([
        ["c1", "error"],
        ["c2", "completed"],
      ]);
    },
  },

  {
    name: "row 10: step.ended with tool calls → the next step, no repeat",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, effects } = await row(
        lab,
        { script: [calls("charge")], crashes: [{ event: "session.step.ended" }] },
        2,
      );
      expect(boot.messages.at(-1)).toMatchObject({ data: { finish: "tool-calls" } });
      expect(boot).toMatchObject(claimed);
      expect(added).toEqual([...NOTICE_AND_START, ...ANSWER, ...DONE]);
      expect([modelCalls, effects]).toEqual([2, 1]);
    },
  },

  {
    name: "row 11: step.ended with a full answer → one more model call, whose text becomes the answer",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result } = await row(
        lab,
        {
          script: [says("the first answer"), says("an extra answer")],
          crashes: [{ event: "session.step.ended" }],
        },
        2,
      );
      expect(boot.messages.at(-1)).toMatchObject({
        data: { finish: "stop", content: [{ text: "the first answer" }] },
      });
      expect(boot).toMatchObject(claimed);
      expect(added).toEqual([...NOTICE_AND_START, ...ANSWER, ...DONE]);
      expect(modelCalls).toBe(2);
      expect(result).toMatchObject({ status: "done", text: "an extra answer" });
    },
  },

  {
    name: "row 12: execution.succeeded → nothing",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result } = await row(
        lab,
        { script: [says("the answer")], crashes: [{ event: "session.execution.succeeded" }] },
        1,
      );
      expect(boot).toMatchObject(unclaimed);
      expect(boot.messages.at(-1)).toMatchObject({ type: "idle", data: { outcome: "succeeded" } });
      expect(added).toEqual([]);
      expect(modelCalls).toBe(1);
      expect(result).toMatchObject({ status: "done", text: "the answer" });
    },
  },

  {
    name: "row 13: retry.scheduled → a new step at once, counting retries afresh",
    section: "9.3",
    async run(lab) {
      const { boot, added, modelCalls, result, subject } = await row(
        lab,
        { script: [{ status: 503 }, { status: 503 }], crashes: [{ event: "session.retry.scheduled" }] },
        3,
      );
      expect(boot.messages.at(-1)).toMatchObject({ type: "assistant", data: { retry: { attempt: 1 } } });
      expect(added).toEqual([...NOTICE_AND_START, "step.started", "retry.scheduled", ...ANSWER, ...DONE]);
      expect(modelCalls).toBe(3);
      const retries = (await subject.log()).filter((item) => item.type === "session.retry.scheduled");
      expect(retries).toMatchObject([{ data: { attempt: 1 } }, { data: { attempt: 1 } }]);
      expect(result).toMatchObject({ status: "done" });
    },
  },

  {
    name: "row 14: mid-compaction → the compaction is failed, the turn goes on",
    section: "9.3",
    async run(lab) {
      const subject = await lab.subject({ crashes: [{ event: "session.compaction.started" }] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      // The doorbell's run reaches the crash point on its own; the call itself may still be answered.
      await subject.outcome("sessions.compact", { ...ROOT, id: "msg_compact" }).catch(() => undefined);
      await subject.untilActivation(2);
      await subject.until({ requests: 2 });
      await subject.client("sessions.wait", ROOT);
      const boot = (await subject.bench()).boots[1];
      expect(boot?.messages.at(-1)).toMatchObject({ type: "compaction", data: { status: "running" } });
      expect(boot).toMatchObject(claimed);
      expect((await subject.types()).slice(boot?.events.length)).toEqual([
        ...NOTICE_AND_START,
        "compaction.failed",
        ...ANSWER,
        ...DONE,
      ]);
      expect(ofType(await subject.messages(), "compaction")).toMatchObject([
        { status: "failed", error: { type: "compaction.interrupted" } },
      ]);
    },
  },

  {
    name: "row 15: during the resumed run → one more attempt and one more notice",
    section: "9.3",
    async run(lab) {
      const subject = await lab.subject({
        script: [calls("hold"), says("cut off"), says("the answer")],
        crashes: [null, { event: "session.step.started" }],
      });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      expect(await subject.recover("op", 3, 3)).toMatchObject({ status: "done", text: "the answer" });
      const { boots, requests } = await subject.bench();
      expect(boots.map((boot) => boot.attempts)).toEqual([0, 0, 1]);
      expect(ofType(await subject.messages(), "synthetic")).toHaveLength(2);
      expect(requests).toHaveLength(3);
    },
  },
];
