/**
 * A program of its own: the kit's agent, run by the daemon once for each turn. Arguments: the operation, and the thread to go
 * on with where there is one; the prompt comes on the standard input. It asks the scripted model until that answers without a
 * tool call, and has the ledger tools.
 *
 * Its thread lies in its home, which is declared to the harness; what its tools brought lies in the workspace, which is not.
 */
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { call } from "../../../../src/link/call.ts";
import { type CallContext, LEDGER_TOOLS } from "../../../../src/plugin/ledger-tools.ts";
import { SESSION_VARIABLE } from "../../../../src/trace/protocol/container-protocol.ts";
import type { AgentLine, Part } from "./agent-output.ts";
import { ledgerToolOptions, outside, variable } from "./outside.ts";
import { Thread, type ToolCall } from "./thread.ts";

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string(),
                function: z.object({ name: z.string(), arguments: z.string() }),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
});

const [operation = "", resumed] = process.argv.slice(2);
const peer = outside();
const options = ledgerToolOptions(peer);
const home = variable("HOME");
const thread = resumed === undefined ? Thread.begin(home) : Thread.resume(home, resumed);
thread.add({ role: "user", content: await text(process.stdin) });
say({ type: "thread", thread: thread.id });
for (let step = 1; ; step += 1) {
  const asked = await askModel();
  const id = `${operation}:${step}`;
  if (asked.calls.length === 0) {
    say({ type: "message", id, parts: [{ type: "text", text: asked.text }] });
    say({ type: "answer", text: asked.text });
    break;
  }
  for (const one of asked.calls) {
    say({ type: "message", id, parts: [partOf(one, "running", "")] });
    const { ok, result } = await carryOut(one, {
      session: variable(SESSION_VARIABLE),
      message: id,
      call: one.id,
    });
    thread.add({ role: "tool", tool_call_id: one.id, content: result });
    say({ type: "message", id, parts: [partOf(one, ok ? "done" : "error", result)] });
  }
}

async function askModel(): Promise<{ readonly text: string; readonly calls: readonly ToolCall[] }> {
  const body = {
    model: "main",
    messages: thread.messages,
    tools: LEDGER_TOOLS.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  };
  const { choices } = await call(peer, "POST", "/model", Completion, { body });
  const answer = choices[0]?.message;
  const calls = (answer?.tool_calls ?? []).map((one) => ({ ...one, type: "function" as const }));
  const said = answer?.content ?? "";
  thread.add({
    role: "assistant",
    content: said,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  });
  return { text: said, calls };
}

async function carryOut(
  { id, function: asked }: ToolCall,
  context: CallContext,
): Promise<{ readonly ok: boolean; readonly result: string }> {
  const tool = LEDGER_TOOLS.find(({ name }) => name === asked.name);
  if (tool === undefined) return { ok: false, result: `Error: unknown tool ${asked.name}` };
  try {
    const result = await tool.run(options, JSON.parse(asked.arguments), context);
    writeFileSync(`${id}.json`, result);
    return { ok: true, result };
  } catch (error) {
    return { ok: false, result: `Error: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function partOf(
  { id, function: asked }: ToolCall,
  state: "running" | "done" | "error",
  output: string,
): Part {
  return { type: "tool", toolCallId: id, toolName: asked.name, input: asked.arguments, state, output };
}

function say(line: AgentLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
