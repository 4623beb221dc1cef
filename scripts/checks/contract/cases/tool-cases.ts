/** Tools: host contract, sections 4.2, 4.4 and 9.5. */
import { expect } from "vitest";
import { type Case, calls, ROOT, says, toolParts } from "./case.ts";

export const toolCases: Case[] = [
  {
    name: "commits tool.called before it executes the tool",
    section: "9.5",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("charge")], crashes: [{ tool: "before-execute" }] });
      await subject.submitIntoCrash("go", { operationId: "op" });
      await subject.recover("op", 2);
      const { boots, effects } = await subject.bench();
      expect(boots[1]?.events).toContain("session.tool.called.1");
      expect(effects).toEqual([]);
    },
  },
  {
    name: "leaves the same rows whether the effect had happened or not",
    section: "9.3 rows 6 and 7",
    async run(lab) {
      const left = async (side: "before-execute" | "after-execute") => {
        const subject = await lab.subject({ script: [calls("charge")], crashes: [{ tool: side }] });
        await subject.submitIntoCrash("go", { operationId: "op" });
        await subject.recover("op", 2);
        const { boots, effects } = await subject.bench();
        const content = boots[1]?.messages.at(-1)?.data.content as { state: unknown }[];
        return { states: content.map((part) => part.state), effects: effects.length };
      };
      const before = await left("before-execute");
      const after = await left("after-execute");
      expect(before.states).toEqual([{ status: "running", input: { order: "a" }, metadata: {} }]);
      expect(after.states).toEqual(before.states);
      expect([before.effects, after.effects]).toEqual([0, 1]);
    },
  },
  {
    name: "runs the calls of one step concurrently and commits each result as it comes",
    section: "9.5",
    async run(lab) {
      const two = {
        calls: [
          { id: "c1", name: "hold", arguments: '{"order":"one"}' },
          { id: "c2", name: "hold", arguments: '{"order":"two"}' },
        ],
      };
      const subject = await lab.subject({ script: [two] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 2 });
      await subject.open("tool-two");
      await subject.untilTypes("tool.success");
      const [first, second] = toolParts(await subject.messages());
      expect([first?.state.status, second?.state.status]).toEqual(["running", "completed"]);
      expect(await subject.types()).not.toContain("step.ended");
      await subject.open("tool-one");
      await subject.wait("op");
      const types = await subject.types();
      expect(types.indexOf("step.ended")).toBeGreaterThan(types.lastIndexOf("tool.success"));
    },
  },
  {
    name: "hands the tool its session, assistant message and call id",
    section: "4.2",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("charge", "call_77")] });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const assistant = (await subject.messages()).find((message) => message.type === "assistant");
      expect((await subject.bench()).effects).toEqual([
        { tool: "charge", callID: "call_77", messageID: assistant?.id, session: "ses_root", activation: 0 },
      ]);
    },
  },
  {
    id: "check-5",
    name: "fails a call whose tool throws with what it threw, and goes on",
    section: "4.2",
    async run(lab, note) {
      const two = {
        calls: [
          { id: "c1", name: "boom", arguments: "{}" },
          { id: "c2", name: "charge", arguments: "{}" },
        ],
      };
      const subject = await lab.subject({ script: [two, says("went on")] });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "done", text: "went on" });
      const [boom] = toolParts(await subject.messages());
      expect(boom?.state).toMatchObject({
        status: "error",
        error: { type: expect.any(String), message: expect.stringContaining("boom went off") },
      });
      const types = await subject.types();
      expect(types.indexOf("tool.failed")).toBeLessThan(types.indexOf("step.ended"));
      const { type = "nothing", message = "" } = boom?.state.status === "error" ? boom.state.error : {};
      const last = types.indexOf("tool.failed") > types.indexOf("tool.success");
      note(
        "a tool that throws",
        `failed as \`${type}\`, ${last ? "after the other calls" : "at once"}`,
        message,
      );
      const [keys = []] = (await subject.bench()).toolContexts;
      const has = (key: string) => `has ${keys.includes(key) ? "" : "no "}\`${key}\``;
      note("tool context", `${has("signal")}; ${has("checkpoint")}`, `keys: ${keys.join(", ")}`);
    },
  },
  {
    name: "fails unknown tools, unreadable arguments, invalid input and undeclared output without ending the turn",
    section: "4.2, 9.5",
    async run(lab) {
      const call = (id: string, name: string, raw: string) => ({ calls: [{ id, name, arguments: raw }] });
      const subject = await lab.subject({
        script: [
          call("c1", "nothing", "{}"),
          call("c2", "charge", '{"order":'),
          call("c3", "math_strict", '{"amount":"many"}'),
          call("c4", "undeclared", "{}"),
          call("c5", "math_strict", '{"amount":21}'),
          says("done"),
        ],
      });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "done", text: "done" });
      const states = toolParts(await subject.messages()).map((part) => part.state);
      expect(states).toMatchObject([
        {
          status: "error",
          error: { type: "tool.unknown", message: expect.stringMatching(/^Unknown tool:/) },
        },
        { status: "error", input: {}, error: { type: "tool.input-json" } },
        { status: "error", error: { message: expect.stringMatching(/^Invalid tool input:/) } },
        { status: "error" },
        { status: "completed", content: [{ type: "text", text: '{"doubled":42}' }] },
      ]);
      expect((await subject.bench()).effects).toHaveLength(1);
    },
  },
  {
    name: "never executes a call again, and gives the repeated call the model's new id",
    section: "9.3 row 7",
    async run(lab) {
      const subject = await lab.subject({ script: [calls("hold", "call_1"), calls("charge", "call_2")] });
      await subject.submit("go", { operationId: "op" });
      await subject.until({ effects: 1 });
      await subject.drop();
      await subject.recover("op", 3);
      expect((await subject.bench()).effects.map((effect) => effect.callID)).toEqual(["call_1", "call_2"]);
    },
  },
  {
    name: "refuses a tool that only code mode could reach, and says so",
    section: "4.4",
    needs: "seams",
    async run(lab) {
      const subject = await lab.subject({ plugins: ["codemode", "broken"] });
      await subject.submit("go", { operationId: "op" });
      expect(await subject.wait("op")).toMatchObject({ status: "done" });
      expect(await subject.client("plugin.list")).toMatchObject([
        { id: "codemode", status: "failed", error: expect.stringContaining("code mode") },
        { id: "broken", status: "failed", error: "setup went wrong" },
        { id: "contract-tools", status: "active" },
      ]);
      const { requests, logs } = await subject.bench();
      const offered = requests[0]?.body.tools?.map((tool) => tool.function.name);
      expect(offered).toEqual(["charge", "hold", "boom", "math_strict", "undeclared"]);
      expect(logs.map((entry) => entry.message)).toEqual([
        expect.stringContaining("codemode"),
        expect.stringContaining("broken"),
      ]);
    },
  },
  {
    name: "hides a tool whose action is wholly denied, the last matching rule deciding",
    section: "4.2, 4.4",
    async run(lab) {
      const permissions = [
        { action: "*", resource: "*", effect: "deny" },
        { action: "charge", resource: "*", effect: "allow" },
      ];
      const subject = await lab.subject({ script: [calls("hold")], config: { permissions } });
      await subject.submit("go", { operationId: "op" });
      await subject.wait("op");
      const { requests, effects } = await subject.bench();
      expect(requests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(["charge"]);
      expect(effects).toEqual([]);
      const [part] = toolParts(await subject.messages());
      expect(part?.state).toMatchObject({
        status: "error",
        error: { message: expect.stringMatching(/not available/) },
      });
      expect(await subject.client("permission.list", ROOT)).toEqual([]);
    },
  },
];
