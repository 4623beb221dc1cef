/**
 * The subject protocol for an object with a harness: what the harness answers comes from its driver, the rest is the same
 * for all of them. The harness is started before each request, even one that only reads.
 */
import { Refusal } from "../link/admission.ts";
import type { Via } from "../trace/observations.ts";
import type {
  BeginRequest,
  IdentityResponse,
  JobsResponse,
  LogResponse,
  PrepareRequest,
  PrepareResponse,
  ReferenceRequest,
  ReferenceResponse,
  SchemaResponse,
  SessionResponse,
  StreamLine,
  SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitRequest,
  WaitResponse,
  WorkRequest,
  WorkResponse,
  WritesResponse,
} from "../trace/protocol/subject-protocol.ts";
import type { Activation } from "./activation.ts";
import type { Driver, EventStream } from "./driver.ts";
import { NumberedWrites } from "./numbered-writes.ts";
import type { SubjectRequests } from "./serve-request.ts";
import { readJobs, readSchema } from "./storage-inspection.ts";

export class DrivenSubject<Agent> implements SubjectRequests {
  readonly #ctx: DurableObjectState;
  readonly #activation: Activation;
  readonly #driver: Driver<Agent>;
  readonly #agent: Agent;
  readonly #writes: NumberedWrites;
  /** Lost with the activation that was prepared. */
  #memory: string | null = null;

  constructor(ctx: DurableObjectState, activation: Activation, driver: Driver<Agent>, agent: Agent) {
    this.#ctx = ctx;
    this.#activation = activation;
    this.#driver = driver;
    this.#agent = agent;
    this.#writes = new NumberedWrites(ctx, activation.id);
  }

  /** A harness that does not start is an activation that failed, whoever asked for it. */
  async start(): Promise<void> {
    try {
      await this.#driver.start(this.#agent);
    } catch (error) {
      await this.#activation.failed(error);
      throw error;
    }
  }

  async prepare({ marker, key, writes }: PrepareRequest): Promise<PrepareResponse> {
    this.#activation.writeMarker(marker);
    this.#memory = marker;
    this.#activation.writeSetting("key", key);
    if (writes !== undefined) this.#writes.lay(writes.lose);
    return {
      activation: this.#activation.id,
      generation: this.#activation.generation,
      session: this.#driver.session,
    };
  }

  async submit(request: SubmitRequest): Promise<SubmitResponse> {
    await this.#writes.begin();
    const { operationId, session, accepted } = await this.#driver.submit(this.#agent, request);
    return { operationId, session, accepted, activation: this.#activation.id };
  }

  async begin(request: BeginRequest): Promise<SubmitResponse> {
    const { begin } = this.#driver;
    if (begin === undefined)
      throw new Refusal("operation-unknown", "this subject has one session, and no begin of it");
    const { operationId, session, accepted } = await begin(this.#agent, request);
    return { operationId, session, accepted, activation: this.#activation.id };
  }

  async openSession(): Promise<SessionResponse> {
    const { openSession } = this.#driver;
    if (openSession === undefined) throw new Refusal("operation-unknown", "this subject has one session");
    return { session: await openSession(this.#agent) };
  }

  async deleteSession({ session }: SessionResponse): Promise<SessionResponse> {
    const { deleteSession } = this.#driver;
    if (deleteSession === undefined)
      throw new Refusal("operation-unknown", "this subject deletes no session");
    await deleteSession(this.#agent, session);
    return { session };
  }

  async events(session: string = this.#driver.session): Promise<Response> {
    const { events } = this.#driver;
    if (events === undefined)
      throw new Refusal("operation-unknown", "nobody can follow the events of this subject's sessions");
    return linesOf(await events(this.#agent, session));
  }

  /** A harness's wait with a bound; running out stops only the wait. */
  async wait({ operationId, timeoutMs, session: another }: WaitRequest): Promise<WaitResponse> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { session, status, reason, text } = await this.#driver.wait(
        this.#agent,
        operationId,
        signal,
        another,
      );
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
    const { session, log } = this.#driver;
    if (log === undefined) return { offered: false, session, items: [], complete: true };
    return { offered: true, session, ...(await log(this.#agent, after)) };
  }

  async transcript(via: Via): Promise<TranscriptResponse> {
    return { session: this.#driver.session, ...(await this.#driver.transcript(this.#agent, via)) };
  }

  async schema(): Promise<SchemaResponse> {
    return readSchema(this.#ctx.storage);
  }

  jobs(): Promise<JobsResponse> {
    return readJobs(this.#ctx.storage);
  }

  abort(): Promise<boolean> {
    return this.#driver.abort(this.#agent);
  }

  async identity(): Promise<IdentityResponse> {
    const { executor, session } = this.#driver;
    if (executor === undefined)
      throw new Refusal("operation-unknown", "no executor works for this subject apart from its object");
    const { running, runtimeId = null, markers } = await executor(this.#agent);
    const object = this.#activation.readMarker();
    return { session, executor: runtimeId, running, markers: { object, memory: this.#memory, ...markers } };
  }

  async beginWork({ work }: WorkRequest): Promise<WorkResponse> {
    const { beginWork } = this.#driver;
    if (beginWork === undefined)
      throw new Refusal("operation-unknown", "this subject hands out no ids of work");
    return beginWork(this.#agent, work);
  }

  async useReference({ reference }: ReferenceRequest): Promise<ReferenceResponse> {
    const { workAt } = this.#driver;
    if (workAt === undefined) throw new Refusal("operation-unknown", "this subject hands out no ids of work");
    return { work: await workAt(this.#agent, reference) };
  }

  async stopExecutor(): Promise<void> {
    const { stopExecutor } = this.#driver;
    if (stopExecutor === undefined)
      throw new Refusal("reset-not-offered", "no executor works for this subject apart from its object");
    await stopExecutor(this.#agent);
  }

  writes(): WritesResponse {
    return { writes: [...this.#writes.list] };
  }

  loss(): Promise<Response> {
    return this.#writes.loss();
  }

  reset(): never {
    this.#ctx.abort("recovery-kit: reset by ctx.abort()");
    // The runtime never lets this line run; it tells the compiler what the runtime does.
    throw new Error("ctx.abort() returned");
  }
}

/** How often a request looks whether there is something to tell, in ms: events come in requests of others. */
const LOOK_MS = 50;

/** Tells a stream line by line until its reader leaves. */
function linesOf({ begins, start, stop }: EventStream): Response {
  const waiting: StreamLine[] = [begins];
  let isOver = false;
  start((line) => void waiting.push(line));
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (waiting.length === 0 && !isOver) await scheduler.wait(LOOK_MS);
      const lines = waiting.splice(0).map((line) => `${JSON.stringify(line)}\n`);
      if (!isOver) controller.enqueue(encoder.encode(lines.join("")));
    },
    async cancel() {
      isOver = true;
      await stop();
    },
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
}
