/** The event log and the transcript made from it: host contract, sections 5, 6 and 3.6. */
import { expect } from "vitest";
import type { DurableEvent } from "../../../../src/host/types/events.ts";
import { isBeside, shortType } from "../host-lab.ts";
import { type Case, calls, ofType, ROOT, says, toolParts } from "./case.ts";

/** A plain turn with one tool (host contract, section 5.4), without instructions: the stand-in has none. */
const PLAIN_TURN = [
  "created",
  "inbox.enqueued",
  "execution.started",
  "inbox.delivered",
  "step.started",
  "text.started",
  "text.ended",
  "tool.input.started",
  "tool.input.ended",
  "tool.called",
  "step.streamed",
  "tool.success",
  "step.ended",
  "step.started",
  "text.started",
  "text.ended",
  "step.streamed",
  "step.ended",
  "execution.succeeded",
];

const TURN = [{ ...says("I charge."), ...calls("charge") }, says("Charged.")];

export const logCases: Case[] = [
  {
    name: "writes the events of a turn in the published order, numbered from 0 without gaps",
    section: "5.1, 5.4",
    async run(lab) {
      const subject = await lab.subject({ script: TURN });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "done", text: "Charged." });
      const items = await subject.log();
      const events = items.filter((item): item is DurableEvent => item.type !== "log.synced");
      const ofTurn = events.map((event) => event.type).filter((type) => !isBeside(type));
      expect(ofTurn).toEqual(PLAIN_TURN.map((type) => `session.${type}`));
      expect(events.map((event) => event.durable.seq)).toEqual(events.map((_, index) => index));
      for (const event of events) {
        expect(event.durable.aggregateID).toBe("ses_root");
        expect(event.data.sessionID).toBe("ses_root");
      }
      const ids = events.map((event) => event.id);
      expect(ids).toEqual([...ids].sort());
      for (const id of ids) expect(id).toMatch(/^evt_[0-9a-f]{16}[0-9A-Za-z]{12}$/);
    },
  },
  {
    name: "commits every event alone: a crash between any two leaves exactly the events before it",
    section: "5.1",
    async run(lab) {
      // The result of a call may be committed before or after the end of the stream is.
      const orders = [PLAIN_TURN, swapped(PLAIN_TURN)];
      const left = await Promise.all(
        PLAIN_TURN.slice(1).map(async (type, index) => {
          const nth = PLAIN_TURN.slice(0, index + 2).filter((other) => other === type).length;
          const crash = { event: `session.${type}`, nth };
          const subject = await lab.subject({ script: TURN, crashes: [crash] });
          await subject.submitIntoCrash("go", { operationId: "op" });
          await subject.untilActivation(2);
          return (await subject.bench()).boots[1]?.events.map(shortType) ?? [];
        }),
      );
      for (const [index, events] of left.entries()) {
        const prefixes = orders.map((order) => order.slice(0, index + 2));
        expect(prefixes).toContainEqual(events);
      }
    },
  },
  {
    name: "keeps the rows of a message in step with its events",
    section: "6",
    async run(lab) {
      const subject = await lab.subject({ script: TURN, crashes: [{ event: "session.tool.called" }] });
      await subject.submitIntoCrash("go", { operationId: "op" });
      await subject.recover("op", 2);
      const assistant = (await subject.bench()).boots[1]?.messages.at(-1);
      expect(assistant).toMatchObject({
        type: "assistant",
        data: {
          content: [
            { type: "text", text: "I charge." },
            {
              type: "tool",
              id: "call_1",
              name: "charge",
              executed: false,
              state: { status: "running", input: { order: "a" }, metadata: {} },
            },
          ],
        },
      });
    },
  },
  {
    name: "writes step.started when the provider first answers, not when it is asked",
    section: "5.4",
    async run(lab) {
      const subject = await lab.subject({ script: [{ ...says("late"), hold: "request" }] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ requests: 1 });
      expect(await subject.types()).not.toContain("step.started");
      await subject.open("model-1");
      await subject.wait("op");
      expect(await subject.types()).toContain("step.started");
      const [assistant] = ofType(await subject.messages(), "assistant");
      const started = (await subject.log()).find((item) => item.type === "session.step.started");
      expect(started).toMatchObject({ data: { started: assistant?.time.created } });
    },
  },
  {
    name: "stores no deltas, and sends them live",
    section: "5.3",
    async run(lab) {
      const subject = await lab.subject({ script: [says("one ", "two ", "three")] });
      const live = await subject.subscribe(
        { ...ROOT, id: "msg_op", text: "go" },
        "session.execution.succeeded",
      );
      expect(live[0]?.type).toBe("server.connected");
      const deltas = live.filter((event) => event.type === "session.text.delta");
      expect(deltas.map((event) => (event.data as { delta: string }).delta).join("")).toBe("one two three");
      expect((await subject.types()).filter((type) => type.endsWith(".delta"))).toEqual([]);
    },
  },
  {
    name: "loses the text of an unfinished part and keeps finished parts",
    section: "6",
    async run(lab) {
      const subject = await lab.subject({
        script: [{ reasoning: ["thinking it over"], text: ["lost"], hold: "text" }],
      });
      await subject.submit("go", { operationId: "op" });
      await subject.untilTypes("text.started");
      await subject.drop();
      await subject.recover("op", 2);
      const { boots, requests } = await subject.bench();
      expect(boots[1]?.messages.at(-1)?.data.content).toMatchObject([
        { type: "reasoning", text: "thinking it over" },
        { type: "text", text: "" },
      ]);
      const seen = requests[1]?.body.messages.find((message) => message.role === "assistant");
      expect(seen?.content).toBe("thinking it over");
    },
  },
  {
    name: "replays the log in order, after the given number, up to a marker",
    section: "3.6",
    async run(lab) {
      const subject = await lab.subject();
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      await subject.quiet();
      const all = await subject.log();
      expect(all.at(-1)).toEqual({ type: "log.synced", aggregateID: "ses_root", seq: all.length - 2 });
      expect(await subject.log({ after: 3 })).toEqual(all.slice(4));
      expect(await subject.log({ after: 1_000 })).toEqual([all.at(-1)]);
    },
  },
  {
    name: "follows the log after the marker without losing or repeating an event",
    section: "3.6",
    async run(lab) {
      const subject = await lab.subject({ script: [{ ...says("later"), hold: "request" }] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ requests: 1 });
      const following = subject.log({ follow: true }, "session.execution.succeeded");
      await subject.open("model-1");
      const followed = await following;
      const marker = followed.findIndex((item) => item.type === "log.synced");
      expect(marker).toBeGreaterThan(-1);
      const stored = await subject.log();
      expect(followed.filter((item) => item.type !== "log.synced")).toEqual(
        stored.slice(0, stored.findIndex((item) => item.type === "session.execution.succeeded") + 1),
      );
      expect(followed[marker]).toMatchObject({ seq: marker - 1 });
    },
  },
  {
    name: "sends server.connected first and then the events of all sessions, without replay",
    section: "3.6",
    async run(lab) {
      const subject = await lab.subject();
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      await subject.quiet();
      await subject.client("sessions.create", { id: "ses_other" });
      const live = await subject.subscribe(
        { sessionID: "ses_other", text: "go" },
        "session.execution.succeeded",
      );
      expect(live[0]).toMatchObject({ type: "server.connected", data: {} });
      const later = live.filter((event) => event.type.startsWith("session."));
      expect(later[0]?.type).toBe("session.inbox.enqueued");
      for (const event of later) expect(event.data).toMatchObject({ sessionID: "ses_other" });
    },
  },
  {
    name: "records the result of a call with its content and metadata",
    section: "6",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("charge")] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const [part] = toolParts(await subject.messages());
      expect(part).toMatchObject({
        id: "call_1",
        name: "charge",
        state: {
          status: "completed",
          input: { order: "a" },
          content: [{ type: "text", text: "charged 1" }],
          metadata: { paid: true },
        },
        time: { created: expect.any(Number), ran: expect.any(Number), completed: expect.any(Number) },
      });
    },
  },
];

function swapped(types: string[]): string[] {
  const at = types.indexOf("step.streamed");
  return [...types.slice(0, at), "tool.success", "step.streamed", ...types.slice(at + 2)];
}
