/** The tools of the contract tests, as a plugin: each leaves its effect at the bench. */
import { Plugin } from "@opencode/plugin";
import { z } from "zod";
import type { Bench } from "./contract-bench.ts";
import type { Crash } from "./crash-point.ts";

type Stub = DurableObjectStub<Bench>;
type Arguments = { order?: string };

const ANY_ORDER = { type: "object", properties: { order: { type: "string" } } };
const DIRECT = { codemode: false };

export function contractTools(bench: Stub, activation: number, crash: Crash): Plugin.Plugin {
  const record = (tool: string, call: Plugin.ToolContext) => {
    const { id: callID, messageID, sessionID: session } = call;
    return bench.effect({ tool, callID, messageID, session, activation }, Object.keys(call).sort());
  };
  return Plugin.define({
    id: "contract-tools",
    setup(ctx) {
      crash.setup();
      // Published hooks on both sides of a tool: after `tool.called` is stored, and before its result is (9.5).
      ctx.tool.hook("execute.before", () => crash.tool("before-execute"));
      ctx.tool.hook("execute.after", () => crash.tool("after-execute"));
      ctx.tool.transform((tools) => {
        tools.add({
          name: "charge",
          description: "Leaves an effect and says how many there are.",
          input: ANY_ORDER,
          options: DIRECT,
          async execute(_input: Arguments, call) {
            return { content: `charged ${await record("charge", call)}`, metadata: { paid: true } };
          },
        });
        tools.add({
          name: "hold",
          description: "Leaves an effect, then waits for the test.",
          input: ANY_ORDER,
          options: DIRECT,
          async execute(input: Arguments, call) {
            await record("hold", call);
            await bench.gate(`tool-${input.order ?? ""}`);
            return { content: `held ${input.order ?? ""}` };
          },
        });
        tools.add({
          name: "boom",
          description: "Leaves an effect, then throws.",
          input: ANY_ORDER,
          options: DIRECT,
          async execute(_input: Arguments, call) {
            await record("boom", call);
            throw new Error("boom went off");
          },
        });
        tools.add({
          name: "strict",
          description: "Validates its input.",
          input: z.object({ amount: z.number() }),
          output: z.object({ doubled: z.number() }),
          options: { ...DIRECT, namespace: "math" },
          async execute(input: { amount: number }, call) {
            await record("strict", call);
            return { output: { doubled: input.amount * 2 } };
          },
        });
        tools.add({
          name: "undeclared",
          description: "Returns output without declaring a schema for it.",
          input: ANY_ORDER,
          options: DIRECT,
          execute: () => ({ output: { surprise: true } }),
        });
      });
    },
  });
}

export const brokenPlugin = Plugin.define({
  id: "broken",
  setup() {
    throw new Error("setup went wrong");
  },
});

export const codemodePlugin = Plugin.define({
  id: "codemode",
  setup(ctx) {
    ctx.tool.transform((tools) => {
      tools.add({
        name: "nested",
        description: "Only for code mode.",
        input: ANY_ORDER,
        execute: () => ({}),
      });
    });
  },
});

/** More than a host promises to keep of a tool's output (host contract, section 4.2). */
const LARGE_OUTPUT_CHARACTERS = 60_000;

export const largePlugin = Plugin.define({
  id: "large",
  setup(ctx) {
    ctx.tool.transform((tools) => {
      tools.add({
        name: "large",
        description: "Says a lot.",
        input: ANY_ORDER,
        options: DIRECT,
        execute: () => ({ content: "x".repeat(LARGE_OUTPUT_CHARACTERS) }),
      });
    });
  },
});
