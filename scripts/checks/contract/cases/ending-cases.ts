/** How executions end: host contract, sections 3.5 and 8. */
import { expect } from "vitest";
import { type Case, calls, ofType, ROOT, says, toolParts } from "./case.ts";

export const endingCases: Case[] = [
  {
    name: "marks success, failure and interruption with an idle message",
    section: "6, 8",
    async run(lab, note) {
      const subject = await lab.subject({
        script: [says("fine"), { status: 401, body: "no" }, { ...says("never"), hold: "request" }],
      });
      await subject.submit("1", { operationId: "op1" });
      expect(await subject.wait("op1")).toMatchObject({ status: "done", text: "fine" });
      await subject.submit("2", { operationId: "op2" });
      const failed = await subject.wait("op2");
      expect(failed).toMatchObject({ status: "unanswered", reason: expect.any(String) });
      await subject.submit("3", { operationId: "op3" });
      await subject.until({ requests: 3 });
      await subject.harness("abort", { operationId: "op3" });
      expect(await subject.wait("op3")).toMatchObject({ status: "unanswered", reason: "interrupted" });
      const idle = ofType(await subject.messages(), "idle");
      expect(idle.map((message) => message.outcome)).toEqual(["succeeded", "failed", "interrupted"]);
      note("`error` of an idle message", idle[1]?.error === undefined ? "absent" : "present");
    },
  },
  {
    name: "settles open calls and the open step, then releases the claim, when a user interrupts",
    section: "8",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      expect(await subject.client("sessions.interrupt", ROOT)).toEqual({ interrupted: true });
      expect(await subject.wait("op")).toMatchObject({ status: "unanswered" });
      const types = await subject.types();
      expect(types.slice(-3)).toEqual(["tool.failed", "step.failed", "execution.interrupted"]);
      const messages = await subject.messages();
      expect(toolParts(messages)[0]?.state).toMatchObject({
        status: "error",
        error: { type: "aborted", message: "Tool execution interrupted" },
      });
      expect(ofType(messages, "assistant")[0]?.error).toEqual({
        type: "aborted",
        message: "Step interrupted",
      });
      expect(messages.at(-1)).toMatchObject({ type: "idle", outcome: "interrupted" });
      // The tool's late result changes nothing, and nothing is resumed later.
      await subject.open("tool-a");
      await subject.drop();
      await subject.touch();
      expect((await subject.bench()).boots[1]?.claims).toEqual([]);
      expect(await subject.types()).toEqual(types);
    },
  },
  {
    name: "answers an interrupt of an idle session with false",
    section: "3.5",
    async run(lab) {
      const subject = await lab.subject();
      expect(await subject.client("sessions.interrupt", ROOT)).toEqual({ interrupted: false });
      expect(await subject.types()).toEqual(["created"]);
    },
  },
  {
    id: "check-7",
    name: "keeps the claim and writes no idle marker when the host is closed, and resumes at the next boot",
    section: "8, 9.1",
    async run(lab) {
      const never = { ...says("never"), hold: "request" as const };
      const subject = await lab.subject({ script: [calls("hold"), never, says("resumed")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.client("close");
      expect(await subject.outcome("sessions.active")).toMatchObject({
        ok: false,
        isError: true,
        value: "OpenCode host is closed",
      });
      await subject.drop();
      await subject.untilActivation(2);
      await subject.until({ requests: 2 });
      await subject.drop();
      expect(await subject.recover("op", 3, 3)).toMatchObject({ status: "done", text: "resumed" });
      const [, boot, later] = (await subject.bench()).boots;
      expect(later).toMatchObject({ claims: ["ses_root"], attempts: 1 });
      expect(boot).toMatchObject({ claims: ["ses_root"], attempts: 0 });
      expect(boot?.events.slice(-3)).toEqual([
        "session.tool.failed.2",
        "session.step.failed.1",
        "session.execution.interrupted.1",
      ]);
      expect(boot?.messages.map((message) => message.type)).not.toContain("idle");
      expect(ofType(await subject.messages(), "synthetic")).toHaveLength(2);
    },
  },
  {
    name: "leaves queued inputs alone after an interrupt until the next wake",
    section: "3.5",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold"), says("later")] });
      await subject.client("sessions.prompt", { ...ROOT, id: "msg_1", text: "1" });
      await subject.until({ effects: 1 });
      await subject.client("sessions.prompt", { ...ROOT, id: "msg_2", text: "2", delivery: "queue" });
      await subject.client("sessions.interrupt", ROOT);
      await subject.client("sessions.wait", ROOT);
      expect(await subject.client("sessions.inbox.list", ROOT)).toMatchObject([{ id: "msg_2" }]);
      expect((await subject.bench()).requests).toHaveLength(1);
      await subject.client("sessions.prompt", { ...ROOT, id: "msg_2", text: "2", delivery: "queue" });
      await subject.client("sessions.wait", ROOT);
      expect((await subject.bench()).requests).toHaveLength(2);
    },
  },
  {
    name: "goes on with a pending steer after an interrupt that asks for it",
    section: "3.5",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold"), says("steered")] });
      await subject.client("sessions.prompt", { ...ROOT, id: "msg_1", text: "1" });
      await subject.until({ effects: 1 });
      await subject.client("sessions.prompt", { ...ROOT, id: "msg_2", text: "2" });
      // The option has had two names (host contract, section 15, question 5).
      await subject.client("sessions.interrupt", { ...ROOT, resume: true, continue: true });
      await subject.client("sessions.wait", ROOT);
      const messages = await subject.messages();
      expect(ofType(messages, "user").map((message) => message.text)).toEqual(["1", "2"]);
      expect(ofType(messages, "idle").map((message) => message.outcome)).toEqual([
        "interrupted",
        "succeeded",
      ]);
    },
  },
  {
    name: "knows nothing of activity before this process: wait returns and active is empty with input pending",
    section: "3.5",
    async run(lab) {
      const subject = await lab.subject();
      await subject.client("sessions.prompt", { ...ROOT, id: "msg_1", text: "go", resume: false });
      await subject.drop();
      expect(await subject.client("sessions.active")).toEqual({});
      expect(await subject.client("sessions.wait", ROOT)).toBeNull();
      expect(await subject.client("sessions.inbox.list", ROOT)).toHaveLength(1);
      expect(await subject.types()).toEqual(["created", "inbox.enqueued"]);
    },
  },
  {
    name: "lists a running session as active until it ends",
    section: "3.1",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      expect(await subject.client("sessions.active")).toEqual({ ses_root: { type: "running" } });
      await subject.open("tool-a");
      await subject.wait("op");
      expect(await subject.client("sessions.active")).toEqual({});
    },
  },
  {
    name: "does nothing more once a seam has halted it, and recovers as from a crash",
    section: "9.3",
    needs: "seams",
    async run(lab) {
      const subject = await lab.subject({
        script: [calls("charge"), says("recovered")],
        crashes: [{ halt: "after-execute" }],
      });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      expect(await subject.recover("op", 2)).toMatchObject({ status: "done", text: "recovered" });
      const { boots, requests } = await subject.bench();
      expect(boots[1]?.events.at(-1)).toMatch(/^session\.(tool\.called|step\.streamed)\.1$/);
      expect(requests).toHaveLength(2);
    },
  },
];
