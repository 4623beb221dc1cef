/**
 * The bench: everything a test needs to remember while the object under test is reset. Per test one object that is
 * the scripted model, the destination of the tools' effects, the keeper of the plan, and the place to wait.
 */
import { DurableObject } from "cloudflare:workers";
import type {
  Answer,
  BenchState,
  BootState,
  Effect,
  ModelRequest,
  Plan,
  ToolContextKeys,
} from "../bench-protocol.ts";

/** Header in which the subject says which `fetch` the host used. */
export const VIA = "x-contract-via";

type Waiter = { holds: () => boolean; resolve: () => void };

export class Bench extends DurableObject {
  #plan: Plan = {};
  #turns = 0;
  readonly #state: BenchState = {
    activations: 0,
    boots: [],
    requests: [],
    titles: [],
    effects: [],
    toolContexts: [],
    logs: [],
  };
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();
  #waiters: Waiter[] = [];

  setPlan(plan: string): void {
    this.#plan = JSON.parse(plan) as Plan;
  }

  /** JSON both ways: the types of open-ended records do not survive RPC's type mapping. */
  activate(boot: string): { activation: number; plan: string } {
    const activation = this.#state.activations++;
    this.#state.boots.push({ ...(JSON.parse(boot) as BootState), activation });
    this.#changed();
    return { activation, plan: JSON.stringify(this.#plan) };
  }

  effect(effect: Effect, context: ToolContextKeys): number {
    this.#state.effects.push(effect);
    this.#state.toolContexts.push(context);
    this.#changed();
    return this.#state.effects.length;
  }

  hostLogged(level: string, message: string): void {
    this.#state.logs.push({ level, message });
    this.#changed();
  }

  /** Resolves when the test opens the gate; at once if it is open already. */
  async gate(name: string): Promise<void> {
    await this.#gate(name).promise;
  }

  open(name: string): void {
    this.#gate(name).resolve();
  }

  state(): string {
    return JSON.stringify(this.#state);
  }

  /** Resolves when at least so many requests and effects have been seen. */
  async until(least: { requests?: number; effects?: number }): Promise<void> {
    const holds = () =>
      this.#state.requests.length >= (least.requests ?? 0) &&
      this.#state.effects.length >= (least.effects ?? 0);
    if (holds()) return;
    await new Promise<void>((resolve) => this.#waiters.push({ holds, resolve }));
  }

  /** The model: `POST …/chat/completions`. */
  override async fetch(request: Request): Promise<Response> {
    const body = (await request.json()) as ModelRequest["body"];
    const purpose = purposeOf(body);
    const { [VIA]: via, ...headers } = Object.fromEntries(request.headers);
    const seen = purpose === "title" ? this.#state.titles : this.#state.requests;
    const activation = this.#state.activations - 1;
    seen.push({ purpose, activation, via: via === "global" ? "global" : "option", headers, body });
    const number = seen.length;
    const answer: Answer =
      purpose === "turn"
        ? (this.#plan.script?.[this.#turns++] ?? { text: ["done"] })
        : { text: [purpose === "title" ? "A title" : "A summary"] };
    this.#changed();
    if (answer.hold === "request") await this.gate(`model-${number}`);
    if (answer.status !== undefined) {
      return new Response(answer.body ?? "", {
        status: answer.status,
        ...(answer.headers === undefined ? {} : { headers: answer.headers }),
      });
    }
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    // The reader may be aborted at any time; that is the test's business.
    this.#write(writable.getWriter(), answer, number).catch(() => undefined);
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  }

  async #write(
    writer: WritableStreamDefaultWriter<Uint8Array>,
    answer: Answer,
    number: number,
  ): Promise<void> {
    const encoder = new TextEncoder();
    const send = (chunk: unknown) => writer.write(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
    const delta = (value: unknown) => send({ choices: [{ index: 0, delta: value }] });
    const hold = async (at: Answer["hold"]) => {
      if (answer.hold === at) await this.gate(`model-${number}`);
    };
    await delta({ role: "assistant" });
    await hold("open");
    for (const reasoning_content of answer.reasoning ?? []) await delta({ reasoning_content });
    for (const content of answer.text ?? []) await delta({ content });
    await hold("text");
    for (const [index, call] of (answer.calls ?? []).entries()) {
      const half = Math.ceil(call.arguments.length / 2);
      const head = { name: call.name, arguments: call.arguments.slice(0, half) };
      await delta({ tool_calls: [{ index, id: call.id, type: "function", function: head }] });
      await hold("arguments");
      await delta({ tool_calls: [{ index, function: { arguments: call.arguments.slice(half) } }] });
    }
    await hold("calls");
    const finish = answer.finish === undefined ? (answer.calls ? "tool_calls" : "stop") : answer.finish;
    if (finish !== null) {
      await send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
      await send({ choices: [], usage: answer.usage ?? { prompt_tokens: 10, completion_tokens: 5 } });
      await writer.write(encoder.encode("data: [DONE]\n\n"));
    }
    await writer.close();
  }

  #gate(name: string): PromiseWithResolvers<void> {
    let gate = this.#gates.get(name);
    if (gate === undefined) {
      gate = Promise.withResolvers<void>();
      this.#gates.set(name, gate);
    }
    return gate;
  }

  #changed(): void {
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.holds()) return true;
      waiter.resolve();
      return false;
    });
  }
}

function purposeOf(body: ModelRequest["body"]): ModelRequest["purpose"] {
  if (body.tools !== undefined && body.tools.length > 0) return "turn";
  const system = body.messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => content ?? "")
    .join("\n");
  if (/title/i.test(system)) return "title";
  if (/summar/i.test(system)) return "compaction";
  return "turn";
}
