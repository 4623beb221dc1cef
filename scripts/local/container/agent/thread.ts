/**
 * A conversation of the kit's agent, as messages of a chat completion, one a line. Each is written before the next thing is
 * done, so that a file shows how far the agent had come.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { STATE_FOLDER } from "./agent-output.ts";

const ToolCall = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof ToolCall>;

const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("user"), content: z.string() }),
  z.object({
    role: z.literal("assistant"),
    content: z.string().nullable(),
    tool_calls: z.array(ToolCall).optional(),
  }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);
export type Message = z.infer<typeof Message>;

/** What the model is told of a call that was cut short, in the agent's words. */
export const INTERRUPTED =
  "The tool call was interrupted, because the agent's process ended. It may or may not have taken effect.";

export class Thread {
  readonly id: string;
  readonly #file: string;
  readonly messages: Message[];

  private constructor(id: string, file: string, messages: Message[]) {
    this.id = id;
    this.#file = file;
    this.messages = messages;
  }

  static begin(home: string): Thread {
    const id = crypto.randomUUID();
    const file = fileOf(home, id);
    mkdirSync(dirname(file), { recursive: true });
    return new Thread(id, file, []);
  }

  /** Goes on with one, and gives each call without a result the one that it was interrupted. @throws when there is none. */
  static resume(home: string, id: string): Thread {
    const file = fileOf(home, id);
    if (!existsSync(file)) throw new Error(`no thread ${id}`);
    const lines = readFileSync(file, "utf8").split("\n");
    const thread = new Thread(id, file, lines.flatMap(readMessage));
    for (const call of thread.#openCalls())
      thread.add({ role: "tool", tool_call_id: call.id, content: INTERRUPTED });
    return thread;
  }

  add(message: Message): void {
    this.messages.push(message);
    appendFileSync(this.#file, `${JSON.stringify(message)}\n`);
  }

  #openCalls(): ToolCall[] {
    const ended = new Set(this.messages.flatMap((one) => (one.role === "tool" ? [one.tool_call_id] : [])));
    return this.messages
      .flatMap((one) => (one.role === "assistant" ? (one.tool_calls ?? []) : []))
      .filter(({ id }) => !ended.has(id));
  }
}

function fileOf(home: string, id: string): string {
  return join(home, STATE_FOLDER, `${id}.jsonl`);
}

/** The last line may have been cut off when its writer was killed. */
function readMessage(line: string): Message[] {
  try {
    return [Message.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
