/** The client's own rules, sessions, and storage: host contract, sections 2.3, 3.1, 3.2, 3.7, 3.8 and 11. */
import { expect } from "vitest";
import type { SessionMessage } from "../../../../src/host/types/messages.ts";
import type { SessionInfo } from "../../../../src/host/types/session-types.ts";
import { type Case, calls, ofType, ROOT, says, toolParts } from "./case.ts";

type Page = { data: SessionMessage[]; cursor: { next?: string; previous?: string } };

const thrown = (tag: string) => ({ ok: false, isError: false, value: { _tag: tag } });

export const clientCases: Case[] = [
  {
    name: "throws declared errors as plain objects with a tag",
    section: "2.3, 3.8",
    async run(lab) {
      const subject = await lab.subject();
      const nowhere = { sessionID: "ses_nowhere" };
      const missing = {
        ...thrown("SessionNotFoundError"),
        value: { _tag: "SessionNotFoundError", ...nowhere },
      };
      expect(await subject.outcome("sessions.get", nowhere)).toMatchObject(missing);
      expect(await subject.outcome("sessions.prompt", { ...nowhere, text: "x" })).toMatchObject(missing);
      expect(await subject.outcome("message.list", nowhere)).toMatchObject(missing);
      expect(await subject.outcome("sessions.switchAgent", { ...ROOT, agent: "nobody" })).toMatchObject(
        thrown("AgentNotFoundError"),
      );
    },
  },
  {
    name: "pages messages, with one empty page after the last full one",
    section: "3.2",
    async run(lab) {
      const subject = await lab.subject();
      for (const id of ["a", "b", "c"]) {
        await subject.submit(id, { operationId: id });
        await subject.wait(id);
      }
      const all = (await subject.client("message.list", { ...ROOT, order: "asc" })) as Page;
      expect(all.data.map((message) => message.type).filter((type) => type !== "system")).toEqual(
        ["a", "b", "c"].flatMap(() => ["user", "assistant", "idle"]),
      );
      const first = (await subject.client("message.list", { ...ROOT, limit: 5 })) as Page;
      expect(first.data).toEqual(all.data.slice(-5).reverse());
      const second = (await subject.client("message.list", { ...ROOT, cursor: first.cursor.next })) as Page;
      expect(second.data).toEqual(all.data.slice(0, -5).reverse());
      const third = (await subject.client("message.list", { ...ROOT, cursor: second.cursor.next })) as Page;
      expect(third).toEqual({ data: [], cursor: {} });
      const back = (await subject.client("message.list", {
        ...ROOT,
        cursor: second.cursor.previous,
      })) as Page;
      expect(back.data).toEqual(first.data);
      const cursor = JSON.parse(Buffer.from(first.cursor.next ?? "", "base64url").toString("utf8"));
      expect(cursor).toEqual({ id: first.data.at(-1)?.id, order: "desc", direction: "next" });
    },
  },
  {
    name: "refuses a cursor together with an order, and gives an empty page for an unknown position",
    section: "3.2",
    async run(lab) {
      const subject = await lab.subject();
      const cursor = Buffer.from('{"id":"msg_x","order":"desc","direction":"next"}').toString("base64url");
      expect(await subject.client("message.list", { ...ROOT, cursor })).toEqual({ data: [], cursor: {} });
      expect(await subject.outcome("message.list", { ...ROOT, cursor, order: "asc" })).toMatchObject(
        thrown("InvalidCursorError"),
      );
      expect(await subject.outcome("message.list", { ...ROOT, cursor: "?" })).toMatchObject(
        thrown("InvalidCursorError"),
      );
    },
  },
  {
    name: "creates a session once per id and lists sessions by update time",
    section: "3.1",
    async run(lab) {
      const subject = await lab.subject();
      const created = await subject.client("sessions.create", { id: "ses_a", title: "A" });
      expect(created).toMatchObject({ id: "ses_a", title: "A", location: { directory: expect.any(String) } });
      expect(await subject.client("sessions.create", { id: "ses_a", title: "B" })).toEqual(created);
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const page = (await subject.client("sessions.list", { limit: 1 })) as {
        data: { id: string }[];
        cursor: { next: string };
      };
      expect(page.data.map((session) => session.id)).toEqual(["ses_root"]);
      const rest = (await subject.client("sessions.list", { cursor: page.cursor.next })) as {
        data: { id: string }[];
      };
      expect(rest.data.map((session) => session.id)).toEqual(["ses_a"]);
      const root = (await subject.client("sessions.get", ROOT)) as SessionInfo;
      expect(root.outcome).toBe("succeeded");
      // At least those of the turn: a title call would be counted too.
      expect(root.tokens.input).toBeGreaterThanOrEqual(10);
      expect(root.tokens.output).toBeGreaterThanOrEqual(5);
    },
  },
  {
    name: "stores everything under the published table and index names",
    section: "11.1, 11.2",
    async run(lab) {
      const subject = await lab.subject();
      await subject.touch();
      const { tables, indexes } = await subject.catalog();
      for (const name of [
        "event",
        "event_sequence",
        "session_inbox",
        "session_message",
        "session_v2",
        "migration",
      ]) {
        expect(tables).toContain(`opencode_${name}`);
      }
      for (const name of [
        "event_aggregate_seq_idx",
        "event_aggregate_type_seq_idx",
        "session_inbox_session_delivery_seq_idx",
        "session_inbox_session_enqueued_seq_idx",
        "session_message_session_seq_idx",
        "session_message_session_type_seq_idx",
        "session_message_session_time_created_id_idx",
        "session_message_time_created_idx",
        "session_v2_project_idx",
        "session_v2_workspace_idx",
        "session_v2_parent_idx",
        "session_v2_time_suspended_idx",
        "permission_project_action_resource_idx",
      ]) {
        expect(indexes).toContain(`opencode_${name}`);
      }
    },
  },
  {
    name: "finds session, transcript and log again after a reset",
    section: "11",
    async run(lab) {
      const subject = await lab.subject({ script: [says("kept")] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      await subject.quiet();
      const [messages, log] = [await subject.messages(), await subject.log()];
      await subject.drop();
      expect(await subject.messages()).toEqual(messages);
      expect(await subject.log()).toEqual(log);
    },
  },
  {
    name: "forks a session with its finished messages and their order, and refuses an empty one",
    section: "3.7",
    async run(lab) {
      const subject = await lab.subject({ script: [says("one"), says("in the fork"), calls("hold")] });
      expect(await subject.outcome("sessions.fork", ROOT)).toMatchObject({
        value: { _tag: "InvalidRequestError", kind: "empty_session" },
      });
      const typesOf = async (sessionID: string) =>
        ((await subject.client("sessions.context", { sessionID })) as SessionMessage[])
          .map((message) => message.type)
          .filter((type) => type !== "system");
      await subject.submit("1", { operationId: "op1" });
      await subject.wait("op1");
      const fork = (await subject.client("sessions.fork", ROOT)) as SessionInfo;
      expect(fork.fork?.sessionID).toBe("ses_root");
      const inFork = { sessionID: fork.id };
      const copied = (await subject.client("sessions.context", inFork)) as SessionMessage[];
      for (const message of copied) expect(message.id).toMatch(/^msg_[0-9a-f]{16}[0-9A-Za-z]{12}_\d+$/);
      expect(await typesOf(fork.id)).toEqual(["user", "assistant", "idle"]);
      await subject.client("sessions.prompt", { ...inFork, text: "and you?" });
      await subject.client("sessions.wait", inFork);
      const twice = ["user", "assistant", "idle", "user", "assistant", "idle"];
      expect(await typesOf(fork.id)).toEqual(twice);
      await subject.submit("2", { operationId: "op2" });
      await subject.until({ effects: 1 });
      const midway = (await subject.client("sessions.fork", ROOT)) as SessionInfo;
      expect(await typesOf(midway.id)).toEqual(["user", "assistant", "idle", "user"]);
      expect(await subject.harness("sessions.list")).toEqual(
        expect.arrayContaining([expect.objectContaining({ id: fork.id, parent: "ses_root" })]),
      );
    },
  },
  {
    name: "switches model and agent with a transcript message, from the next step on",
    section: "3.7",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold"), says("other")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.client("sessions.switchModel", { ...ROOT, model: { providerID: "fake", id: "other" } });
      await subject.client("sessions.switchAgent", { ...ROOT, agent: "plan" });
      await subject.open("tool-a");
      await subject.wait("op");
      const { requests } = await subject.bench();
      expect(requests.map((request) => [request.body.model, request.body.max_tokens])).toEqual([
        ["main", 8192],
        ["other-model", 4096],
      ]);
      const messages = await subject.messages();
      expect(ofType(messages, "model-switched")[0]?.value).toEqual({ providerID: "fake", id: "other" });
      expect(ofType(messages, "agent-switched")[0]?.value).toBe("plan");
      expect(ofType(messages, "assistant").map((message) => message.agent)).toEqual(["build", "plan"]);
      expect(toolParts(messages)[0]?.state.status).toBe("completed");
    },
  },
];
