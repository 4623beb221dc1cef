/**
 * A small correct subject from which the canaries are made: each canary breaks one rule of it, and the judge must
 * convict every one of them on every run; if it does not, the run proves nothing.
 *
 * Same protocol, same model, same ledger tools as the real subjects, and no harness at all: one table with the state
 * of one turn per operation, and an alarm that carries on. What it does right: a call that was open when its object was
 * lost is never run again, it is shown to the model as interrupted.
 */
import { DurableObject } from "cloudflare:workers";
import { z } from "zod";
import { modelBaseUrl } from "../../host/model-route.ts";
import { COMMIT_INPUT_SCHEMA, COMMIT_TOOL, commit } from "../../plugin/ledger-tools.ts";
import { Activation } from "../../subject/activation.ts";
import { ledgerOf } from "../../subject/links.ts";
import { NumberedWrites } from "../../subject/numbered-writes.ts";
import { parseObjectName } from "../../subject/object-name.ts";
import { serveCounted } from "../../subject/serve-counted.ts";
import type { SubjectRequests } from "../../subject/serve-request.ts";
import { readJobs, readSchema } from "../../subject/storage-inspection.ts";
import type { SubjectEnv } from "../../subject/subject-env.ts";
import { CANARY_HEARTBEAT_MS } from "../../trace/heartbeats.ts";
import { KeySource } from "../../trace/levels.ts";
import type {
  JobsResponse,
  LogResponse,
  PrepareRequest,
  PrepareResponse,
  SchemaResponse,
  SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitRequest,
  WaitResponse,
  WritesResponse,
} from "../../trace/protocol/subject-protocol.ts";

/** The canary has one session, like the root session of a harness. */
const SESSION = "canary";
/** How often a wait looks at the turn's state, in ms. */
const LOOK_MS = 100;
/** More model requests than any policy needs; a turn that takes more is given up. */
const MODEL_CALLS_MAX = 8;

const ToolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof ToolCall>;
const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), tool_calls: z.array(ToolCall).nullish() }),
      }),
    )
    .min(1),
});
const Message = z.looseObject({ role: z.string() });
const Turn = z.object({
  operation_id: z.string(),
  /** The activation that opened the calls. */
  activation: z.string(),
  messages: z.string().transform((text) => z.array(Message).parse(JSON.parse(text))),
  open_calls: z.string().transform((text) => z.array(ToolCall).parse(JSON.parse(text))),
  answer: z.string().nullable(),
});
type Turn = z.infer<typeof Turn>;

export abstract class CanaryObject extends DurableObject<SubjectEnv> implements SubjectRequests {
  readonly #name = parseObjectName(this.ctx.id);
  readonly #activation = new Activation({
    ctx: this.ctx,
    env: this.env,
    trial: this.#name.trial,
    host: { kind: "none", name: this.#name.subject, version: "1" },
  });
  readonly #writes = new NumberedWrites(this.ctx, this.#activation.id);
  #running: Promise<void> | undefined;
  #activated = false;

  /** Performs one tool call and returns what the model is shown. */
  protected runTool(call: ToolCall): Promise<string> {
    return this.commitCall(call);
  }

  /** What the model is shown of a call that was open when its object was lost. */
  protected async recoverCall(_call: ToolCall): Promise<string> {
    return "Tool execution interrupted";
  }

  /** Makes sure that the object comes back when it is lost. */
  protected async scheduleWake(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + CANARY_HEARTBEAT_MS);
  }

  /** Whether a turn is worked on: every unfinished one, whoever began it. */
  protected goesOnWith(_turn: { readonly activation: string }, _activation: string): boolean {
    return true;
  }

  /** Runs before the activation is counted and announced. */
  protected async beforeActivation(): Promise<void> {}

  override async fetch(request: Request): Promise<Response> {
    await this.#activate("fetch");
    return serveCounted(request, this, this.#activation);
  }

  override async alarm(): Promise<void> {
    await this.#activate("alarm");
    await this.#carryOn();
  }

  async prepare({ marker, key, writes }: PrepareRequest): Promise<PrepareResponse> {
    this.#activation.writeMarker(marker);
    this.#activation.writeSetting("key", key);
    if (writes !== undefined) this.#writes.lay(writes.lose);
    return { activation: this.#activation.id, generation: this.#activation.generation, session: SESSION };
  }

  async submit({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    await this.#writes.begin();
    const accepted = this.#turns().every((turn) => turn.operation_id !== operationId);
    if (accepted) {
      const messages = JSON.stringify([{ role: "user", content: text }]);
      this.ctx.storage.sql.exec(
        "INSERT INTO canary_turn (operation_id, activation, messages, open_calls, answer) VALUES (?, ?, ?, '[]', NULL)",
        operationId,
        this.#activation.id,
        messages,
      );
      await this.scheduleWake();
      this.ctx.waitUntil(this.#carryOn());
    }
    return { operationId, session: SESSION, accepted, activation: this.#activation.id };
  }

  async wait({ operationId, timeoutMs }: WaitRequest): Promise<WaitResponse> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const turn = this.#turns().find((candidate) => candidate.operation_id === operationId);
      const result = { operationId, session: SESSION };
      if (turn === undefined)
        return {
          settled: true,
          result: { ...result, status: "unanswered", reason: "not_found", text: null },
        };
      if (turn.answer !== null)
        return { settled: true, result: { ...result, status: "done", reason: null, text: turn.answer } };
      if (Date.now() >= deadline) return { settled: false, waitedMs: timeoutMs };
      await scheduler.wait(LOOK_MS);
    }
  }

  async log(): Promise<LogResponse> {
    return { offered: false, session: SESSION, items: [], complete: true };
  }

  async transcript(): Promise<TranscriptResponse> {
    const turns = this.#turns();
    return {
      session: SESSION,
      messages: turns.flatMap((turn) => turn.messages),
      pending: turns
        .filter((turn) => turn.answer === null)
        .map((turn) => ({ operationId: turn.operation_id, status: "running" })),
    };
  }

  async schema(): Promise<SchemaResponse> {
    return readSchema(this.ctx.storage);
  }

  /** It has no job queue: its alarm is all that carries it on. */
  jobs(): Promise<JobsResponse> {
    return readJobs(this.ctx.storage);
  }

  async abort(): Promise<boolean> {
    return false;
  }

  writes(): WritesResponse {
    return { writes: [...this.#writes.list] };
  }

  loss(): Promise<Response> {
    return this.#writes.loss();
  }

  reset(): never {
    this.ctx.abort("recovery-kit: reset by ctx.abort()");
    throw new Error("ctx.abort() returned");
  }

  async #activate(cause: "fetch" | "alarm"): Promise<void> {
    // Requests that come together must not activate twice.
    await this.ctx.blockConcurrencyWhile(async () => {
      if (this.#activated) return;
      await this.beforeActivation();
      this.#activation.enteredBy(cause);
      await this.#activation.begin();
      this.#createTable();
      this.#activated = true;
    });
  }

  /** Works through every unfinished turn; one worker per activation. */
  #carryOn(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #work(): Promise<void> {
    for (let turn = this.#unfinished(); turn !== undefined; turn = this.#unfinished()) {
      await this.scheduleWake();
      if (turn.open_calls.length > 0) await this.#runOpenCalls(turn);
      else await this.#askModel(turn);
    }
    await this.ctx.storage.deleteAlarm();
  }

  async #runOpenCalls(turn: Turn): Promise<void> {
    const results = [];
    for (const call of turn.open_calls) {
      const mine = turn.activation === this.#activation.id;
      const result = mine ? this.runTool(call) : this.recoverCall(call);
      const content = await result.catch((error: unknown) => `error: ${String(error)}`);
      results.push({ role: "tool", tool_call_id: call.id, content });
    }
    this.#save({ ...turn, messages: [...turn.messages, ...results], open_calls: [] });
  }

  /** The real thing: one attempt at the ledger. */
  protected commitCall(call: ToolCall): Promise<string> {
    const options = {
      ledger: ledgerOf(this.env, this.#name.trial),
      identify: () => this.#activation.identify(),
      key: () => KeySource.parse(this.#activation.readSetting("key") ?? "scenario"),
    };
    return commit(options, JSON.parse(call.function.arguments), {
      session: SESSION,
      message: `msg_${call.id}`,
      call: call.id,
    });
  }

  async #askModel(turn: Turn): Promise<void> {
    if (turn.messages.filter((message) => message.role === "assistant").length >= MODEL_CALLS_MAX) {
      this.#save({ ...turn, answer: "gave up: too many model calls" });
      return;
    }
    const response = await this.env.CONTROLLER.fetch(`${modelBaseUrl(this.#name.trial)}/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${this.env.KIT_SECRET ?? ""}`,
        "x-opencode-session-id": SESSION,
        "x-kit-activation": this.#activation.id,
      },
      body: JSON.stringify({
        model: "main",
        stream: false,
        messages: turn.messages,
        tools: [{ type: "function", function: { name: COMMIT_TOOL, parameters: COMMIT_INPUT_SCHEMA } }],
      }),
    });
    if (!response.ok) {
      this.#save({ ...turn, answer: `gave up: the model answered ${response.status}` });
      return;
    }
    const message = Completion.parse(await response.json()).choices[0]!.message;
    const calls = message.tool_calls ?? [];
    const assistant = {
      role: "assistant",
      content: message.content ?? null,
      ...(calls.length > 0 ? { tool_calls: calls.map((call) => ({ ...call, type: "function" })) } : {}),
    };
    this.#save({
      ...turn,
      activation: this.#activation.id,
      messages: [...turn.messages, assistant],
      open_calls: calls,
      answer: calls.length > 0 ? null : (message.content ?? ""),
    });
  }

  #unfinished(): Turn | undefined {
    return this.#turns().find((turn) => turn.answer === null && this.goesOnWith(turn, this.#activation.id));
  }

  #turns(): Turn[] {
    const rows = this.ctx.storage.sql.exec("SELECT * FROM canary_turn ORDER BY rowid").toArray();
    return z.array(Turn).parse(rows);
  }

  #save(turn: Turn): void {
    this.ctx.storage.sql.exec(
      "UPDATE canary_turn SET activation = ?, messages = ?, open_calls = ?, answer = ? WHERE operation_id = ?",
      turn.activation,
      JSON.stringify(turn.messages),
      JSON.stringify(turn.open_calls),
      turn.answer,
      turn.operation_id,
    );
  }

  #createTable(): void {
    this.ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS canary_turn (operation_id TEXT PRIMARY KEY, activation TEXT NOT NULL, messages TEXT NOT NULL, open_calls TEXT NOT NULL, answer TEXT)",
    );
  }
}
