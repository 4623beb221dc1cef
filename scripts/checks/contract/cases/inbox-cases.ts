/** Inputs: host contract, sections 3.3, 3.4 and 7. */
import { expect } from "vitest";
import type { InboxItem } from "../../../../src/host/types/inbox-types.ts";
import { type Case, calls, ofType, ROOT, says, shown, tagOf } from "./case.ts";

export const inboxCases: Case[] = [
  {
    name: "admits one id once: the first payload wins while it is pending",
    section: "3.3",
    async run(lab) {
      const subject = await lab.subject();
      const parked = { ...ROOT, id: "msg_one", resume: false };
      const first = (await subject.client("sessions.prompt", { ...parked, text: "first" })) as InboxItem;
      const second = await subject.client("sessions.prompt", {
        ...parked,
        text: "second",
        delivery: "queue",
      });
      expect(first).toMatchObject({
        id: "msg_one",
        sessionID: "ses_root",
        type: "user",
        payload: { text: "first" },
        delivery: "steer",
        timeCreated: expect.any(Number),
      });
      expect(second).toEqual(first);
      expect(await subject.client("sessions.inbox.list", ROOT)).toEqual([first]);
    },
  },
  {
    name: "returns the original admission also after the input was delivered, and answers it once",
    section: "3.3",
    async run(lab) {
      const subject = await lab.subject({ script: [says("the answer")] });
      const first = await subject.client("sessions.prompt", { ...ROOT, id: "msg_one", text: "first" });
      await subject.client("sessions.wait", ROOT);
      const again = await subject.client("sessions.prompt", { ...ROOT, id: "msg_one", text: "second" });
      await subject.client("sessions.wait", ROOT);
      expect(again).toEqual(first);
      expect((await subject.bench()).requests).toHaveLength(1);
      expect(ofType(await subject.messages(), "user").map((message) => message.text)).toEqual(["first"]);
    },
  },
  {
    name: "reports a repeated operation as not accepted, and gives it the same answer",
    section: "1.7",
    async run(lab) {
      const subject = await lab.subject({ script: [says("the answer")] });
      expect(await subject.submit("go", { operationId: "op" })).toMatchObject({ accepted: true });
      const answer = await subject.wait("op");
      expect(await subject.submit("go", { operationId: "op" })).toMatchObject({ accepted: false });
      expect(await subject.wait("op")).toEqual(answer);
    },
  },
  {
    name: "does not wake the session when told not to, and wakes it for a repeat",
    section: "3.3",
    async run(lab) {
      const subject = await lab.subject({ script: [says("awake")] });
      const input = { ...ROOT, id: "msg_one", text: "go" };
      await subject.client("sessions.prompt", { ...input, resume: false });
      expect(await subject.client("sessions.active")).toEqual({});
      expect(await subject.types()).not.toContain("execution.started");
      await subject.client("sessions.prompt", input);
      await subject.client("sessions.wait", ROOT);
      expect((await subject.bench()).requests).toHaveLength(1);
    },
  },
  {
    name: "refuses an id that belongs to another session or another kind of input",
    section: "3.3",
    async run(lab) {
      const subject = await lab.subject();
      await subject.client("sessions.create", { id: "ses_other" });
      const input = { ...ROOT, id: "msg_one", text: "go", resume: false };
      await subject.client("sessions.prompt", input);
      const conflict = { ok: false, isError: false, value: { _tag: "ConflictError", resource: "msg_one" } };
      expect(await subject.outcome("sessions.prompt", { ...input, sessionID: "ses_other" })).toMatchObject(
        conflict,
      );
      expect(await subject.outcome("sessions.synthetic", input)).toMatchObject(conflict);
      await subject.client("sessions.prompt", { ...input, resume: true });
      await subject.client("sessions.wait", ROOT);
      expect(await subject.outcome("sessions.prompt", { ...input, sessionID: "ses_other" })).toMatchObject(
        conflict,
      );
      expect(await subject.outcome("sessions.synthetic", input)).toMatchObject(conflict);
    },
  },
  {
    name: "lets a steer join the running work at its next step",
    section: "7",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold"), says("both")] });
      await subject.submit("first", { operationId: "op1" });
      await subject.until({ effects: 1 });
      await subject.submit("second", { operationId: "op2", whenBusy: "steer" });
      await subject.open("tool-a");
      expect(await subject.wait("op2")).toMatchObject({ status: "done", text: "both" });
      const { requests } = await subject.bench();
      expect(requests).toHaveLength(2);
      expect(shown(requests[1]).at(-1)).toEqual({ role: "user", content: "second" });
      expect((await subject.types()).filter((type) => type === "execution.started")).toHaveLength(1);
    },
  },
  {
    name: "goes on with another step for a steer that arrives during the last one",
    section: "7",
    async run(lab) {
      const subject = await lab.subject({
        script: [{ ...says("first answer"), hold: "text" }, says("second answer")],
      });
      await subject.submit("first", { operationId: "op1" });
      await subject.until({ requests: 1 });
      await subject.submit("second", { operationId: "op2", whenBusy: "steer" });
      await subject.open("model-1");
      expect(await subject.wait("op2")).toMatchObject({ text: "second answer" });
      expect(await subject.wait("op1")).toMatchObject({ status: "done", text: "first answer" });
      expect(ofType(await subject.messages(), "idle")).toHaveLength(1);
    },
  },
  {
    name: "answers queued inputs one by one inside one execution, with one idle marker",
    section: "7",
    async run(lab) {
      const subject = await lab.subject({
        script: [{ ...says("one"), hold: "text" }, says("two"), says("three")],
      });
      await subject.submit("1", { operationId: "op1" });
      await subject.until({ requests: 1 });
      await subject.submit("2", { operationId: "op2" });
      await subject.submit("3", { operationId: "op3" });
      await subject.open("model-1");
      expect(await subject.wait("op3")).toMatchObject({ text: "three" });
      expect(await subject.wait("op2")).toMatchObject({ text: "two" });
      expect(await subject.wait("op1")).toMatchObject({ text: "one" });
      const types = await subject.types();
      expect(types.filter((type) => type === "execution.started")).toHaveLength(1);
      expect(types.filter((type) => type === "execution.succeeded")).toHaveLength(1);
      expect((await subject.messages()).map((message) => message.type)).toEqual([
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "idle",
      ]);
    },
  },
  {
    name: "delivers all pending steers at once, before anything queued",
    section: "7",
    async run(lab) {
      const subject = await lab.subject({ script: [says("steers"), says("queued")] });
      const input = { ...ROOT, resume: false };
      await subject.client("sessions.prompt", { ...input, id: "msg_q", text: "q", delivery: "queue" });
      await subject.client("sessions.prompt", { ...input, id: "msg_s1", text: "s1" });
      await subject.client("sessions.synthetic", { ...input, id: "msg_s2", text: "s2" });
      await subject.client("sessions.prompt", { ...input, id: "msg_s1", text: "s1", resume: true });
      await subject.client("sessions.wait", ROOT);
      const listed = (await subject.messages()).map((message) => [message.type, message.id.slice(0, 6)]);
      expect(listed.filter(([type]) => type === "user" || type === "synthetic")).toEqual([
        ["user", "msg_s1"],
        ["synthetic", "msg_s2"],
        ["user", "msg_q"],
      ]);
      expect((await subject.bench()).requests).toHaveLength(2);
    },
  },
  {
    name: "withdraws a pending input and changes its delivery",
    section: "3.4",
    async run(lab, note) {
      const subject = await lab.subject();
      const input = { ...ROOT, resume: false };
      await subject.client("sessions.prompt", { ...input, id: "msg_1", text: "1", delivery: "queue" });
      await subject.client("sessions.prompt", { ...input, id: "msg_2", text: "2", delivery: "queue" });
      await subject.client("sessions.inbox.update", { ...ROOT, inboxID: "msg_2", delivery: "steer" });
      await subject.client("sessions.inbox.cancel", { ...ROOT, inboxID: "msg_1" });
      const again = await subject.outcome("sessions.inbox.cancel", { ...ROOT, inboxID: "msg_1" });
      note("cancelling an input that is gone", again.ok ? "nothing happens" : `throws ${tagOf(again)}`);
      expect(await subject.client("sessions.inbox.list", ROOT)).toMatchObject([
        { id: "msg_2", delivery: "steer" },
      ]);
      expect(await subject.wait("1")).toMatchObject({ status: "unanswered", reason: "not_found" });
    },
  },
];
