/**
 * What an object of a user's Worker answers to the kit itself. What concerns her work is asked of her Worker by a client, which
 * runs outside (own-worker.ts) and has the object note each of its requests here.
 */
import { Refusal } from "../link/admission.ts";
import type { Activation } from "../subject/activation.ts";
import type { SubjectRequests } from "../subject/serve-request.ts";
import { readJobs, readSchema } from "../subject/storage-inspection.ts";
import type {
  JobsResponse,
  LogResponse,
  PrepareRequest,
  PrepareResponse,
  SchemaResponse,
  SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitResponse,
} from "../trace/protocol/subject-protocol.ts";

export class OwnSubject implements SubjectRequests {
  readonly #ctx: DurableObjectState;
  readonly #activation: Activation;
  readonly #session: string;

  constructor(ctx: DurableObjectState, activation: Activation, session: string) {
    this.#ctx = ctx;
    this.#activation = activation;
    this.#session = session;
  }

  async prepare({ marker }: PrepareRequest): Promise<PrepareResponse> {
    this.#activation.writeMarker(marker);
    const { id: activation, generation } = this.#activation;
    return { activation, generation, session: this.#session };
  }

  /** A client is about to hand the operation in. `accepted`: none was about to before, as far as the storage tells. */
  async submit({ operationId }: SubmitRequest): Promise<SubmitResponse> {
    const setting = `submitted:${operationId}`;
    const accepted = this.#activation.readSetting(setting) === undefined;
    if (accepted) this.#activation.writeSetting(setting, "yes");
    return { operationId, session: this.#session, accepted, activation: this.#activation.id };
  }

  /** A client is about to wait. */
  async wait(): Promise<WaitResponse> {
    return { settled: false, waitedMs: 0 };
  }

  async log(): Promise<LogResponse> {
    return { offered: false, session: this.#session, items: [], complete: true };
  }

  async transcript(): Promise<TranscriptResponse> {
    return { session: this.#session, messages: [], pending: [] };
  }

  async schema(): Promise<SchemaResponse> {
    return readSchema(this.#ctx.storage);
  }

  jobs(): Promise<JobsResponse> {
    return readJobs(this.#ctx.storage);
  }

  async abort(): Promise<never> {
    throw new Refusal("operation-unknown", "no client of this Worker interrupts its work");
  }

  reset(): never {
    this.#ctx.abort("recovery-kit: reset by ctx.abort()");
    // The runtime never lets this line run; it tells the compiler what the runtime does.
    throw new Error("ctx.abort() returned");
  }
}
