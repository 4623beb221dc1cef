/**
 * The subject that the kit exists for: `OpenCodeHarness` in a plain Durable Object, with the ledger plugin as its
 * only tools. Keeps to the harness's public interface; judges nothing.
 */
import { DurableObject } from "cloudflare:workers";
import { OpenCodeHarness, ROOT_SESSION } from "agents/harness/opencode";
import { Lifecycle, LifecycleCapability } from "agents/lifecycle";
import { hostIdentity, openHost, SCRIPTED_MODEL } from "../host/open.ts";
import { COMMIT_TOOL, LOOK_UP_TOOL } from "../plugin/ledger-tools.ts";
import { ledgerPlugin } from "../plugin/opencode-plugin.ts";
import { KeySource } from "../trace/levels.ts";
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
} from "../trace/protocol/subject.ts";
import { Activation } from "./activation.ts";
import type { SubjectEnv } from "./env.ts";
import { ledgerOf } from "./links.ts";
import { type SubjectOperations, serveOperation } from "./operations.ts";
import { readJobs, readSchema } from "./storage-inspection.ts";

/** Most log items returned in one answer; a turn of the kit has about thirty. */
const LOG_ITEMS_MAX = 5_000;

/** Announces the activation before the harness opens OpenCode: capabilities start in registration order. */
class Beacon extends LifecycleCapability {
  readonly #activation: Activation;

  constructor(activation: Activation) {
    super("recovery-kit-beacon");
    this.#activation = activation;
  }

  override async onStart(): Promise<void> {
    await this.#activation.begin();
  }
}

export class OpenCodeSubject extends DurableObject<SubjectEnv> implements SubjectOperations {
  readonly #activation = new Activation({
    storage: this.ctx.storage,
    object: this.ctx.id.toString(),
    ledger: ledgerOf(this.env, this.#trial()),
    host: hostIdentity(),
    version: {
      id: this.env.CF_VERSION_METADATA?.id ?? "",
      tag: this.env.KIT_BUILD ?? this.env.CF_VERSION_METADATA?.tag ?? "",
    },
  });

  readonly #harness = new OpenCodeHarness({
    opencode: ({ storage }) =>
      openHost({
        storage,
        trial: this.#trial(),
        activation: this.#activation.id,
        controller: this.env.CONTROLLER,
        secret: this.env.KIT_SECRET ?? "",
        tools: [COMMIT_TOOL, LOOK_UP_TOOL],
        plugins: [
          ledgerPlugin({
            ledger: ledgerOf(this.env, this.#trial()),
            identify: () => this.#activation.identify(),
            key: () => KeySource.parse(this.#activation.readSetting("key") ?? "scenario"),
          }),
        ],
      }),
    defaults: { model: SCRIPTED_MODEL, agent: "build" },
  });

  readonly lifecycle = Lifecycle.install(this).use(new Beacon(this.#activation)).use(this.#harness);

  // The two entry points note what woke the object, then leave everything to the lifecycle.
  override fetch(request: Request): Promise<Response> {
    this.#activation.enteredBy("fetch");
    return this.lifecycle.fetch(request);
  }

  override alarm(): Promise<void> {
    this.#activation.enteredBy("alarm");
    return this.lifecycle.alarm();
  }

  onRequest(request: Request): Promise<Response> {
    return serveOperation(request, this);
  }

  async prepare({ marker, key }: PrepareRequest): Promise<PrepareResponse> {
    this.#activation.writeMarker(marker);
    this.#activation.writeSetting("key", key);
    return {
      activation: this.#activation.id,
      generation: this.#activation.generation,
      session: ROOT_SESSION,
    };
  }

  async submit({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    const receipt = await this.#harness.submit(text, { operationId });
    return {
      operationId: receipt.operationId,
      session: receipt.session,
      accepted: receipt.accepted,
      activation: this.#activation.id,
    };
  }

  async wait({ operationId, timeoutMs }: WaitRequest): Promise<WaitResponse> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { session, status, reason, text } = await this.#harness.wait(operationId, { signal });
      return {
        settled: true,
        result: { operationId, session, status, reason: reason ?? null, text: text ?? null },
      };
    } catch (error) {
      if (signal.aborted) return { settled: false, waitedMs: timeoutMs };
      throw error;
    }
  }

  async log(after: number | null): Promise<LogResponse> {
    const items: unknown[] = [];
    let complete = true;
    for await (const item of this.#harness.session().log(after === null ? {} : { after })) {
      if (items.length === LOG_ITEMS_MAX) {
        complete = false;
        break;
      }
      items.push(item);
    }
    return { offered: true, session: ROOT_SESSION, items, complete };
  }

  async transcript(): Promise<TranscriptResponse> {
    const messages = await this.#harness.session().history();
    const pending = await this.#harness.pending({ session: ROOT_SESSION });
    return {
      session: ROOT_SESSION,
      messages: [...messages],
      pending: pending.map(({ operationId, status }) => ({ operationId, status })),
    };
  }

  async schema(): Promise<SchemaResponse> {
    return readSchema(this.ctx.storage);
  }

  jobs(): Promise<JobsResponse> {
    return readJobs(this.ctx.storage);
  }

  abort(): Promise<boolean> {
    return this.#harness.abort();
  }

  reset(): never {
    this.ctx.abort("recovery-kit: reset by ctx.abort()");
    // The runtime never lets this line run; it tells the compiler what the runtime does.
    throw new Error("ctx.abort() returned");
  }

  #trial(): string {
    return this.ctx.id.name ?? "";
  }
}
