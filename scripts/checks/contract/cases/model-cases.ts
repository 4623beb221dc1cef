/** What the model is sent, and what happens when it fails: host contract, sections 4.5, 9.4 and 10. */
import { expect } from "vitest";
import { type Case, calls, from, ofType, ROOT, says, shown } from "./case.ts";

export const modelCases: Case[] = [
  {
    name: "identifies the session and the application in the request headers",
    section: "4.5",
    async run(lab) {
      const subject = await lab.subject();
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const request = (await subject.bench()).requests[0];
      expect(request?.headers).toMatchObject({
        "x-opencode-session-id": "ses_root",
        "x-session-id": "ses_root",
        "x-session-affinity": "ses_root",
        "x-opencode-session": "ses_root",
        "x-opencode-client": "contract-tests",
        "user-agent": expect.any(String),
        authorization: "Bearer x",
      });
      expect(request?.body).toMatchObject({ model: "main", stream: true, max_tokens: 8192 });
    },
  },
  {
    name: "says in its user agent that it is a stand-in",
    section: "13",
    needs: "seams",
    async run(lab) {
      const subject = await lab.subject();
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const request = (await subject.bench()).requests[0];
      expect(request?.headers["user-agent"]).toMatch(/^opencode-stand-in\//);
    },
  },
  {
    name: "shows the model the interrupted call, its error, then the notice as a user message",
    section: "9.4",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      await subject.recover("op", 2);
      const call = { id: "call_1", type: "function", function: { name: "hold", arguments: '{"order":"a"}' } };
      const messages = shown((await subject.bench()).requests[1]);
      expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool", "user"]);
      expect(messages).toMatchObject([
        { content: "go" },
        { tool_calls: [call] },
        { tool_call_id: "call_1", content: expect.stringContaining("interrupted") },
        { content: expect.stringMatching(/restart/i) },
      ]);
    },
  },
  {
    name: "retries a failure before any output under the same assistant id",
    section: "10.1",
    async run(lab) {
      const subject = await lab.subject({ script: [{ status: 503 }, { status: 429 }, says("at last")] });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "done", text: "at last" });
      const scheduled = (await subject.log()).filter((item) => item.type === "session.retry.scheduled");
      expect(scheduled).toMatchObject([
        { data: { attempt: 1, error: { type: "provider.internal", status: 503 } } },
        { data: { attempt: 2, error: { type: "provider.rate-limit", status: 429 } } },
      ]);
      const assistants = ofType(await subject.messages(), "assistant");
      expect(assistants).toHaveLength(1);
      expect(assistants[0]).toMatchObject({ finish: "stop", retry: { attempt: 2 } });
      expect(assistants[0]).not.toHaveProperty("error");
    },
  },
  {
    name: "goes on under a new id, with a synthetic request, when the stream breaks after output",
    section: "10.1",
    async run(lab) {
      const subject = await lab.subject({
        script: [{ ...says("half of"), finish: null }, says("the answer")],
      });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "done", text: "the answer" });
      expect(from(await subject.types(), "step.failed").slice(0, 3)).toEqual([
        "step.failed",
        "synthetic",
        "step.started",
      ]);
      const [broken, whole] = ofType(await subject.messages(), "assistant");
      expect(broken).toMatchObject({
        error: { type: expect.stringMatching(/^provider\./) },
        content: [{ text: "half of" }],
      });
      expect(broken?.id).not.toBe(whole?.id);
      const { requests } = await subject.bench();
      expect(shown(requests[1]).at(-1)).toMatchObject({ role: "user" });
    },
  },
  {
    name: "settles a call whose arguments were cut short",
    section: "9.5",
    async run(lab) {
      const subject = await lab.subject({ script: [{ ...calls("charge"), finish: null }, says("again")] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const failed = (await subject.log()).find((item) => item.type === "session.tool.failed");
      expect(failed).toMatchObject({ data: { error: { type: "tool.input-incomplete" } } });
      expect((await subject.bench()).effects).toEqual([]);
    },
  },
  {
    name: "gives up at once when the provider refuses, and when told not to retry",
    section: "10.1",
    async run(lab) {
      const answers = [
        { status: 401 },
        { status: 400 },
        { status: 503, headers: { "x-should-retry": "false" } },
        { ...says("hidden"), finish: "content_filter" },
      ];
      for (const answer of answers) {
        const subject = await lab.subject({ script: [answer] });
        await subject.submit("go", { operationId: "op" });
        const result = await subject.wait("op");
        expect(result.status).toBe("unanswered");
        expect((await subject.bench()).requests).toHaveLength(1);
        expect((await subject.types()).slice(-2)).toEqual(["step.failed", "execution.failed"]);
        const last = (await subject.messages()).at(-1);
        expect(last).toMatchObject({ type: "idle", outcome: "failed" });
      }
    },
  },
  {
    name: "fails the execution when its retries are used up",
    section: "10.1",
    needs: "seams",
    async run(lab) {
      const subject = await lab.subject({
        script: Array.from({ length: 4 }, () => ({ status: 500 })),
        retries: 3,
      });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "unanswered" });
      expect((await subject.bench()).requests).toHaveLength(4);
      expect((await subject.types()).slice(-2)).toEqual(["step.failed", "execution.failed"]);
    },
  },
  {
    name: "gives up a silent provider after three retries, where a limit is configured",
    section: "10.1",
    async run(lab) {
      const silent = { ...says("never"), hold: "request" as const };
      const subject = await lab.subject({
        script: Array.from({ length: 4 }, () => silent),
        config: { model: "impatient/main" },
      });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "unanswered" });
      expect((await subject.bench()).requests).toHaveLength(4);
    },
  },
  {
    name: "fails without a model to ask",
    section: "10.4",
    async run(lab) {
      const subject = await lab.subject({ config: { model: "fake/none" } });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "unanswered" });
      const failed = (await subject.log()).find((item) => item.type === "session.execution.failed");
      expect(failed).toMatchObject({ data: { error: { type: "provider.no-route" } } });
    },
  },
  {
    name: "stops at the step limit with tools declared but not allowed",
    section: "10.2",
    async run(lab) {
      const subject = await lab.subject({
        script: [calls("charge", "c1"), calls("charge", "c2"), says("never asked")],
        config: { agents: { build: { steps: 2 } } },
      });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const { requests, effects } = await subject.bench();
      expect(requests).toHaveLength(2);
      expect(requests[0]?.body.tool_choice).not.toBe("none");
      expect(requests[1]?.body.tool_choice).toBe("none");
      expect(requests[1]?.body.tools).toEqual(requests[0]?.body.tools);
      expect(requests[1]?.body.messages.at(-1)?.content).toMatch(/maximum steps/i);
      expect(effects).toHaveLength(1);
    },
  },
  {
    name: "compacts on request: a call without tools, then a context that begins at the summary",
    section: "10.3",
    async run(lab) {
      const subject = await lab.subject({ script: [says("long talk"), says("after")] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const item = { ...ROOT, id: "msg_compact" };
      await subject.client("sessions.compact", item);
      await subject.client("sessions.wait", ROOT);
      expect(from(await subject.types(), "inbox.enqueued", 2)).toEqual([
        "inbox.enqueued",
        "execution.started",
        "inbox.delivered",
        "compaction.started",
        "compaction.ended",
        "execution.succeeded",
      ]);
      expect((await subject.messages())[0]).toMatchObject({
        type: "compaction",
        status: "completed",
        reason: "manual",
        summary: "A summary",
      });
      await subject.submit("more", { operationId: "op2" });
      await subject.wait("op2");
      const { requests } = await subject.bench();
      expect(requests[1]).toMatchObject({ purpose: "compaction" });
      expect(shown(requests[2])).toMatchObject([
        { role: "user", content: expect.stringContaining("A summary") },
        { role: "user", content: "more" },
      ]);
    },
  },
  {
    name: "compacts by itself near the limit, and once when the request does not fit",
    section: "10.3",
    async run(lab) {
      const small = { config: { model: "fake/small" } };
      const near = await lab.subject({
        ...small,
        script: [
          { ...calls("charge"), usage: { prompt_tokens: 15_000, completion_tokens: 10 } },
          says("short"),
        ],
      });
      await near.submit("go", { operationId: "op" });
      expect(await near.wait("op")).toMatchObject({ status: "done", text: "short" });
      const purposes = (await near.bench()).requests.map((request) => request.purpose);
      expect(purposes).toEqual(["turn", "compaction", "turn"]);
      const full = await lab.subject({
        ...small,
        script: [{ status: 400, body: "context_length_exceeded" }, says("fits now")],
      });
      await full.submit("go", { operationId: "op" });
      expect(await full.wait("op")).toMatchObject({ status: "done", text: "fits now" });
      expect((await full.types()).filter((type) => type === "step.started")).toHaveLength(1);
    },
  },
  {
    name: "makes no title call unless asked to",
    section: "4.5",
    needs: "seams",
    async run(lab) {
      const silent = await lab.subject();
      await silent.submit("go", { operationId: "op" });
      await silent.wait("op");
      expect((await silent.bench()).titles).toEqual([]);
      const titled = await lab.subject({ title: "call" });
      await titled.submit("go", { operationId: "op" });
      await titled.wait("op");
      await titled.untilTypes("renamed");
      expect(await titled.client("sessions.get", ROOT)).toMatchObject({ title: "A title" });
      const types = (await titled.log()).map((item) => item.type);
      expect(types).toContain("session.usage.recorded");
      await titled.submit("again", { operationId: "op2" });
      await titled.wait("op2");
      const { requests, titles } = await titled.bench();
      expect([requests.length, titles.length]).toEqual([2, 1]);
    },
  },
];
