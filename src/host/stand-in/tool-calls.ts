/**
 * The local tool calls of one step: host contract, sections 4.2, 8 (interrupt) and 9.5.
 *
 * `tool.called` is committed before `execute` is started. Calls run concurrently; each result is committed alone,
 * as it comes. A tool that throws is a defect: its call stays open until all others have settled and is then failed
 * as `unknown`. Nothing here ever executes a call twice.
 */
import type { JsonObject, SessionError, ToolContent } from "../types/messages.ts";
import { abortable } from "./abortable.ts";
import type { Host } from "./stand-in-host.ts";
import { InvalidToolInput, validateInput } from "./tool-input.ts";
import { contentOf } from "./tool-output.ts";
import type { Toolset } from "./toolset.ts";

type ToolCallSite = {
  readonly sessionID: string;
  readonly assistantMessageID: string;
  readonly agent: string;
};

export type ToolCall = { id: string; name: string; input: JsonObject };

export const ABORTED_TOOL: SessionError = { type: "aborted", message: "Tool execution interrupted" };

export class ToolCalls {
  readonly #host: Host;
  readonly #site: ToolCallSite;
  readonly #toolset: Toolset;
  readonly #signal: AbortSignal;
  /** Calls that have no result yet, with the defect that ended them if there was one. */
  readonly #open = new Map<string, { defect?: unknown }>();
  readonly #running: Promise<void>[] = [];

  constructor(host: Host, site: ToolCallSite, toolset: Toolset, signal: AbortSignal) {
    this.#host = host;
    this.#site = site;
    this.#toolset = toolset;
    this.#signal = signal;
  }

  /** The model has begun to write a call. */
  expect(id: string): void {
    this.#open.set(id, {});
  }

  /** The call is complete: make it durable, then start it. */
  async start(call: ToolCall): Promise<void> {
    const { log, internals } = this.#host;
    if (!internals.mutations.has("resultAndCallInOneTransaction")) {
      await log.publish("session.tool.called", { ...this.#key(call.id), input: call.input, executed: false });
    }
    const running = this.#execute(call);
    // Awaited in `settle`; without this an early rejection would count as unhandled.
    running.catch(() => undefined);
    this.#running.push(running);
  }

  /** The call cannot run: its arguments are unreadable. */
  reject(id: string, error: SessionError): Promise<void> {
    return this.#fail(id, error);
  }

  /** Waits for every call of the step, then fails those that ended in a defect. */
  async settle(): Promise<void> {
    await abortable(Promise.all(this.#running), this.#signal);
    for (const [id, { defect }] of this.#open) {
      await this.#fail(id, { type: "unknown", message: messageOf(defect) });
    }
  }

  /** Fails whatever is still open, after the results that are just being written. */
  async abort(error: SessionError): Promise<void> {
    for (const id of [...this.#open.keys()]) await this.#fail(id, error);
  }

  async #execute(call: ToolCall): Promise<void> {
    try {
      const result = await this.#run(call);
      if (!this.#close(call.id)) return;
      await this.#succeed(call, result);
    } catch (error) {
      if (this.#host.life.halted) throw error;
      if (error instanceof RefusedCall) await this.#fail(call.id, error.error);
      else if (error instanceof InvalidToolInput)
        await this.#fail(call.id, { type: "tool.execution", message: error.message });
      else if (this.#open.has(call.id)) this.#open.set(call.id, { defect: error });
    }
  }

  async #run(call: ToolCall): Promise<{ content: ToolContent[]; metadata?: JsonObject }> {
    const { life, internals, log, plugins } = this.#host;
    const { sessionID, assistantMessageID, agent } = this.#site;
    const tool = this.#lookUp(call.name);
    const boundary = { sessionID, messageID: assistantMessageID, callID: call.id, tool: call.name };
    const event = {
      tool: call.name,
      sessionID,
      messageID: assistantMessageID,
      id: call.id,
      input: call.input,
    };
    await plugins.before(event);
    const input = await validateInput(tool, event.input);
    life.seam(() => internals.onToolBoundary({ ...boundary, side: "before-execute" }));
    const result = await tool.execute(input as never, {
      sessionID,
      agent,
      messageID: assistantMessageID,
      id: call.id,
      progress: (metadata) =>
        log.emit("session.tool.progress", { sessionID, assistantMessageID, id: call.id, metadata }),
      signal: this.#signal,
    });
    life.seam(() => internals.onToolBoundary({ ...boundary, side: "after-execute" }));
    const content = contentOf(result, tool.output !== undefined);
    const metadata = result.metadata === undefined ? {} : { metadata: result.metadata };
    if (!this.#signal.aborted) await plugins.after({ ...event, content, ...metadata });
    return { content, ...metadata };
  }

  #lookUp(name: string) {
    const tool = this.#toolset.offered.get(name);
    if (tool !== undefined) return tool;
    throw new RefusedCall({
      type: "tool.unknown",
      message: this.#toolset.hidden.has(name) ? `Tool not available: ${name}` : `Unknown tool: ${name}`,
    });
  }

  async #succeed(call: ToolCall, result: { content: ToolContent[]; metadata?: JsonObject }): Promise<void> {
    const { log, internals } = this.#host;
    const key = this.#key(call.id);
    const success = { type: "session.tool.success", data: { ...key, ...result, executed: false } } as const;
    if (internals.mutations.has("resultAndCallInOneTransaction")) {
      const called = { ...key, input: call.input, executed: false };
      return log.publishAll([{ type: "session.tool.called", data: called }, success]);
    }
    return log.publishAll([success]);
  }

  async #fail(id: string, error: SessionError): Promise<void> {
    if (!this.#close(id)) return;
    await this.#host.log.publish("session.tool.failed", { ...this.#key(id), error, executed: false });
  }

  /** @returns False when the call has been settled already, so that a late result changes nothing. */
  #close(id: string): boolean {
    return this.#open.delete(id);
  }

  #key(id: string) {
    const { sessionID, assistantMessageID } = this.#site;
    return { sessionID, assistantMessageID, id };
  }
}

class RefusedCall extends Error {
  override readonly name = "RefusedCall";
  readonly error: SessionError;

  constructor(error: SessionError) {
    super(error.message);
    this.error = error;
  }
}

function messageOf(defect: unknown): string {
  return defect instanceof Error ? defect.message : String(defect ?? "The tool gave no result");
}
