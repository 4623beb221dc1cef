/** Claim, boot sweep and stale calls: host contract, sections 8, 9.1 and 9.2. */
import { expect } from "vitest";
import { type Case, calls, from, ofType, ROOT, says, toolParts } from "./case.ts";

export const recoveryCases: Case[] = [
  {
    name: "sets the claim in the transaction of execution.started",
    section: "8",
    async run(lab) {
      const subject = await lab.subject({ crashes: [{ event: "session.execution.started" }] });
      await subject.submitIntoCrash("go", { operationId: "op" });
      await subject.recover("op", 1);
      const boot = (await subject.bench()).boots[1];
      expect(boot?.events.at(-1)).toBe("session.execution.started.1");
      expect(boot?.claims).toEqual(["ses_root"]);
    },
  },
  {
    name: "clears claim and counter in the transaction of the terminal event",
    section: "8",
    async run(lab) {
      const subject = await lab.subject({
        script: [calls("hold")],
        crashes: [null, { event: "session.execution.succeeded" }],
      });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      expect(await subject.recover("op", 2, 3)).toMatchObject({ status: "done" });
      const [, resumed, after] = (await subject.bench()).boots;
      expect(resumed).toMatchObject({ claims: ["ses_root"], attempts: 0 });
      expect(after?.events.at(-1)).toBe("session.execution.succeeded.1");
      expect(after).toMatchObject({ claims: [], attempts: 0 });
    },
  },
  {
    name: "counts the attempt before it writes the restart notice",
    section: "9.1",
    async run(lab) {
      const subject = await lab.subject({
        crashes: [{ event: "session.inbox.delivered" }, { event: "session.synthetic" }],
      });
      await subject.submitIntoCrash("go", { operationId: "op" });
      await subject.recover("op", 1, 3);
      const boot = (await subject.bench()).boots[2];
      expect(boot).toMatchObject({ attempts: 1, claims: ["ses_root"] });
      expect(boot?.events.at(-1)).toBe("session.synthetic.1");
    },
  },
  {
    name: "tells the model of the restart in a synthetic message that did not go through the inbox",
    section: "9.1",
    async run(lab, note) {
      const subject = await lab.subject({ script: [calls("hold")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      await subject.recover("op", 2);
      const notices = ofType(await subject.messages(), "synthetic");
      expect(notices).toHaveLength(1);
      expect(notices[0]).toMatchObject({ description: "Continuing after restart" });
      const metadata = Object.entries(notices[0]?.metadata ?? {}).map(([key, value]) => `${key}: ${value}`);
      note("metadata of the restart notice", metadata.length === 0 ? "none" : `\`${metadata.join(", ")}\``);
      const enqueued = (await subject.types()).filter((type) => type === "inbox.enqueued");
      expect(enqueued).toHaveLength(1);
    },
  },
  {
    id: "check-3",
    name: "resumes a turn ten times and ends it as failed at the eleventh boot",
    section: "9.1",
    async run(lab) {
      const died = { event: "session.synthetic" };
      const subject = await lab.subject({
        crashes: [{ event: "session.inbox.delivered" }, ...Array.from({ length: 10 }, () => died)],
      });
      await subject.submitIntoCrash("go", { operationId: "op" });
      await subject.untilActivation(12);
      // The harness takes its reason from the last answer, and here there is none: it says only `failed`.
      expect(await subject.wait("op")).toMatchObject({ status: "unanswered", reason: expect.any(String) });
      const { boots, requests } = await subject.bench();
      expect(boots).toHaveLength(12);
      expect(boots[11]).toMatchObject({ attempts: 10, claims: ["ses_root"] });
      expect(requests).toHaveLength(0);
      const messages = await subject.messages();
      expect(messages.at(-1)).toMatchObject({ type: "idle", outcome: "failed" });
      const failed = (await subject.log()).find((item) => item.type === "session.execution.failed");
      expect(failed).toMatchObject({
        data: { error: { type: "aborted", message: expect.stringMatching(/./) } },
      });
      expect(ofType(messages, "synthetic")).toHaveLength(10);
      await subject.drop();
      await subject.touch();
      expect((await subject.bench()).boots[12]).toMatchObject({ attempts: 0, claims: [] });
    },
  },
  {
    name: "settles interrupted calls as aborted before the next step and never runs them again",
    section: "9.2",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      expect((await subject.recover("op", 2)).status).toBe("done");
      expect(from(await subject.types(), "synthetic").slice(0, 4)).toEqual([
        "synthetic",
        "execution.started",
        "tool.failed",
        "step.started",
      ]);
      const [part] = toolParts(await subject.messages());
      expect(part?.state).toMatchObject({
        status: "error",
        input: { order: "a" },
        error: { type: "aborted", message: "Tool execution interrupted: hold" },
      });
      expect((await subject.bench()).effects).toHaveLength(1);
    },
  },
  {
    name: "settles interrupted calls also when a doorbell starts the drain",
    section: "9.2",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold")] });
      // Only a child keeps its open call after a boot: its claim is released and nothing resumes it.
      const child = { sessionID: "ses_child" };
      await subject.client("sessions.create", { id: "ses_child", parentID: "ses_root" });
      await subject.client("sessions.prompt", { ...child, text: "go" });
      await subject.until({ effects: 1 });
      await subject.drop();
      await subject.client("sessions.prompt", { ...child, text: "and now" });
      await subject.client("sessions.wait", child);
      const messages = (await subject.client("sessions.context", child)) as Parameters<typeof toolParts>[0];
      expect(toolParts(messages)[0]?.state).toMatchObject({ status: "error", error: { type: "aborted" } });
    },
  },
  {
    id: "check-4",
    name: "makes one more model call after a restart even when the answer was complete",
    section: "9.3 row 11",
    async run(lab) {
      const subject = await lab.subject({
        script: [says("first answer"), says("second answer")],
        crashes: [{ event: "session.step.ended" }],
      });
      await subject.submitIntoCrash("go", { operationId: "op" });
      const result = await subject.recover("op", 2);
      expect(result).toMatchObject({ status: "done", text: "second answer" });
      expect((await subject.bench()).requests).toHaveLength(2);
    },
  },
  {
    name: "gives the resumed step a new assistant id and closes the old one without finish or error",
    section: "6, 9.3 row 4",
    async run(lab) {
      const subject = await lab.subject({ script: [{ text: ["half"], hold: "text" }] });
      await subject.submit("go", { operationId: "op" });
      await subject.untilTypes("text.started");
      await subject.drop();
      await subject.recover("op", 2);
      const [old, resumed] = ofType(await subject.messages(), "assistant");
      expect(old?.id).not.toBe(resumed?.id);
      expect(old?.time.completed).toEqual(expect.any(Number));
      expect(old).not.toHaveProperty("finish");
      expect(old).not.toHaveProperty("error");
      expect(resumed?.finish).toBe("stop");
    },
  },
  {
    name: "keeps resuming top-level sessions only, each on its own",
    section: "9.1",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold", "c1"), calls("hold", "c2")] });
      const other = { sessionID: "ses_other" };
      await subject.client("sessions.create", { id: "ses_other" });
      await subject.submit("go", { operationId: "op" });
      await subject.client("sessions.prompt", { ...other, text: "go" });
      await subject.until({ effects: 2 });
      await subject.drop();
      await subject.touch();
      await subject.until({ requests: 4 });
      await subject.client("sessions.wait", ROOT);
      await subject.client("sessions.wait", other);
      for (const session of ["ses_root", "ses_other"]) {
        const messages = (await subject.client("sessions.context", { sessionID: session })) as Parameters<
          typeof ofType
        >[0];
        expect(ofType(messages, "synthetic")).toHaveLength(1);
        expect(messages.at(-1)).toMatchObject({ type: "idle", outcome: "succeeded" });
      }
    },
  },
];
