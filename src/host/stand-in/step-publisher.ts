/**
 * One assistant message being written: provider events in, durable events out. Host contract, sections 5.4, 6
 * and 9.5.
 *
 * Text and reasoning are durable only when a part is finished; until then there is an empty part and live deltas.
 */
import type { ModelRef, SessionError } from "../types/messages.ts";
import type { ProviderEvent } from "./chat-completions.ts";
import type { Host } from "./stand-in-host.ts";
import type { ToolCalls } from "./tool-calls.ts";
import { parseArguments } from "./tool-input.ts";

/** Deltas are batched (host contract, section 5.3). */
const DELTA_BATCH_MS = 100;

type OpenPart = { kind: "text" | "reasoning"; ordinal: number; text: string; pending: string; since: number };

type StepSite = {
  readonly sessionID: string;
  readonly assistantMessageID: string;
  readonly agent: string;
  readonly model: ModelRef;
};

export class StepPublisher {
  readonly #host: Host;
  readonly #site: StepSite;
  readonly #calls: ToolCalls;
  readonly #dispatched: number;
  readonly #ordinals = { text: 0, reasoning: 0 };
  #open: OpenPart | undefined;
  #started = false;
  #visible = false;
  #called = false;

  constructor(host: Host, site: StepSite, calls: ToolCalls) {
    this.#host = host;
    this.#site = site;
    this.#calls = calls;
    this.#dispatched = host.internals.clock();
  }

  /** Whether this attempt has a durable trace. */
  get started(): boolean {
    return this.#started;
  }

  /** Whether the model has said anything yet; decides how a failure is retried (host contract, section 10.1). */
  get hasOutput(): boolean {
    return this.#visible;
  }

  /** Whether a local tool was called, which makes the loop go on. */
  get hasCalls(): boolean {
    return this.#called;
  }

  /** The step exists from the provider's first event on, or from its failure; not from dispatch. */
  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    await this.#host.log.publish("session.step.started", { ...this.#site, started: this.#dispatched });
  }

  async accept(event: Exclude<ProviderEvent, { type: "finished" }>): Promise<void> {
    switch (event.type) {
      case "started":
        return this.start();
      case "text":
      case "reasoning":
        return this.#delta(event.type, event.delta);
      case "tool-started":
        this.#visible = true;
        this.#called = true;
        await this.closePart();
        this.#calls.expect(event.id);
        return this.#host.log.publish("session.tool.input.started", {
          ...this.#key(),
          id: event.id,
          name: event.name,
        });
      case "tool-call":
        return this.#call(event);
    }
  }

  /** The provider's body has ended. */
  async streamed(): Promise<void> {
    await this.closePart();
    await this.#host.log.publish("session.step.streamed", this.#key());
  }

  async ended(finish: Extract<ProviderEvent, { type: "finished" }>): Promise<void> {
    await this.#host.log.publish("session.step.ended", {
      ...this.#key(),
      finish: finish.finish,
      rawFinish: finish.rawFinish,
      cost: 0,
      tokens: finish.tokens,
    });
  }

  async failed(error: SessionError, finish?: "content-filter"): Promise<void> {
    await this.start();
    await this.#host.log.publish("session.step.failed", {
      ...this.#key(),
      error,
      ...(finish === undefined ? {} : { finish }),
    });
  }

  async retrying(attempt: number, at: number, error: SessionError): Promise<void> {
    await this.start();
    await this.#host.log.publish("session.retry.scheduled", { ...this.#key(), attempt, at, error });
  }

  async closePart(): Promise<void> {
    const part = this.#open;
    if (part === undefined) return;
    this.#open = undefined;
    this.#flush(part);
    await this.#host.log.publish(`session.${part.kind}.ended`, {
      ...this.#key(),
      ordinal: part.ordinal,
      text: part.text,
    });
  }

  async #delta(kind: "text" | "reasoning", delta: string): Promise<void> {
    this.#visible = true;
    if (this.#open !== undefined && this.#open.kind !== kind) await this.closePart();
    const now = this.#host.internals.clock();
    if (this.#open === undefined) {
      const ordinal = this.#ordinals[kind]++;
      this.#open = { kind, ordinal, text: "", pending: "", since: now };
      await this.#host.log.publish(`session.${kind}.started`, { ...this.#key(), ordinal });
    }
    this.#open.text += delta;
    this.#open.pending += delta;
    if (now - this.#open.since >= DELTA_BATCH_MS) this.#flush(this.#open);
  }

  #flush(part: OpenPart): void {
    if (part.pending === "") return;
    const delta = part.pending;
    part.pending = "";
    part.since = this.#host.internals.clock();
    this.#host.log.emit(`session.${part.kind}.delta`, { ...this.#key(), ordinal: part.ordinal, delta });
  }

  async #call(event: Extract<ProviderEvent, { type: "tool-call" }>): Promise<void> {
    await this.closePart();
    const { id, name, raw } = event;
    await this.#host.log.publish("session.tool.input.ended", { ...this.#key(), id, text: raw });
    const input = parseArguments(raw);
    if (input === undefined) {
      const message = "The tool's arguments are not a JSON object";
      return this.#calls.reject(id, { type: "tool.input-json", message });
    }
    return this.#calls.start({ id, name, input });
  }

  #key(): Pick<StepSite, "sessionID" | "assistantMessageID"> {
    const { sessionID, assistantMessageID } = this.#site;
    return { sessionID, assistantMessageID };
  }
}
