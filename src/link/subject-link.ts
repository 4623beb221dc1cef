/** One object under test as the controller sees it: one method per request of `src/trace/protocol/subject-protocol.ts`. */
import { z } from "zod";
import type { Subject } from "../trace/levels.ts";
import type { Via } from "../trace/observations.ts";
import { Cleared, type OwnerRequest } from "../trace/protocol/container-protocol.ts";
import type { RefusalCode } from "../trace/protocol/refusals.ts";
import {
  type BeginRequest,
  IdentityResponse,
  JobsResponse,
  LogResponse,
  OWNER_KEY_HEADER,
  type PrepareRequest,
  PrepareResponse,
  REQUESTS_HEADER,
  type ReferenceRequest,
  ReferenceResponse,
  SchemaResponse,
  SERVED_BY_HEADER,
  SessionResponse,
  StreamLine,
  type SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitResponse,
  type WitnessRequest,
  WitnessResponse,
  type WorkRequest,
  WorkResponse,
  WritesResponse,
} from "../trace/protocol/subject-protocol.ts";
import { type CallOptions, call, type Peer, PeerError, send } from "./call.ts";

const OBJECT_LOST: RefusalCode = "object-lost";

/** What became of a reset through the object: the exact text that its caller saw, or an unexpected answer. */
type ResetOutcome =
  | { readonly lost: true; readonly error: string }
  | { readonly lost: false; readonly error: string };

/** Who gave the last answer, and what else had reached the object since the one before it. */
type Served = {
  readonly activation: string | null;
  /** Requests that this link did not send; null when the object cannot tell. */
  readonly unsent: number | null;
};

export class SubjectLink {
  readonly #peer: Peer;
  readonly #trial: string;
  readonly #object: string;
  readonly #witness: string;
  #served: Served = { activation: null, unsent: null };
  /** Requests that the object had counted at its last answer; null before the first one. */
  #counted: number | null = null;
  #sentSince = 0;

  constructor(peer: Peer, subject: Subject, trial: string) {
    this.#peer = peer;
    this.#trial = trial;
    this.#object = `/subjects/${subject}/trials/${trial}`;
    this.#witness = `/witnesses/${trial}`;
  }

  prepare(request: PrepareRequest): Promise<PrepareResponse> {
    return this.#call("POST", "prepare", PrepareResponse, { body: request });
  }

  submit(request: SubmitRequest): Promise<SubmitResponse> {
    return this.#call("POST", "submit", SubmitResponse, { body: request });
  }

  /** A further prompt about the same operation. */
  followUp(request: SubmitRequest): Promise<SubmitResponse> {
    return this.#call("POST", "follow-up", SubmitResponse, { body: request });
  }

  /** A session that begins anew, with its first prompt. */
  begin(request: BeginRequest): Promise<SubmitResponse> {
    return this.#call("POST", "begin", SubmitResponse, { body: request });
  }

  openSession(): Promise<SessionResponse> {
    return this.#call("POST", "sessions", SessionResponse);
  }

  deleteSession(session: string): Promise<SessionResponse> {
    return this.#call("POST", "delete-session", SessionResponse, { body: { session } });
  }

  /** What is told of a session until `signal` closes the connection or the other side does. @throws however it is cut off. */
  async *events(session: string, signal: AbortSignal): AsyncGenerator<StreamLine, void> {
    this.#sentSince++;
    const onAnswer = (headers: Headers) => this.#note(headers);
    const path = `${this.#object}/events?session=${encodeURIComponent(session)}`;
    const { body } = await send(this.#peer, "GET", path, { signal, onAnswer });
    if (body === null) return;
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield StreamLine.parse(JSON.parse(line));
    }
  }

  /** Asks whatever runs the container, past the object. `key`: its owner's; null presents none. @throws when it is refused. */
  ofOwner(request: OwnerRequest, key: string | null): Promise<Cleared> {
    const { fetch, ...peer } = this.#peer;
    const withKey: Peer = {
      ...peer,
      fetch: (url, init) => {
        const headers = new Headers(init?.headers);
        if (key !== null) headers.set(OWNER_KEY_HEADER, key);
        return fetch(url, { ...init, headers });
      },
    };
    return call(withKey, "POST", `/containers/${this.#trial}/${request}`, Cleared);
  }

  /** `signal` closes the client's connection, which is not the same as the wait's own bound. */
  wait(
    operationId: string,
    timeoutMs: number,
    { signal, session }: { readonly signal?: AbortSignal; readonly session?: string } = {},
  ): Promise<WaitResponse> {
    const body = { operationId, timeoutMs, ...(session === undefined ? {} : { session }) };
    return this.#call("POST", "wait", WaitResponse, {
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  log(after: number | null): Promise<LogResponse> {
    const query = after === null ? "" : `?after=${after}`;
    return this.#call("GET", `log${query}`, LogResponse);
  }

  transcript(via: Via): Promise<TranscriptResponse> {
    return this.#call("GET", `transcript?via=${via}`, TranscriptResponse);
  }

  schema(): Promise<SchemaResponse> {
    return this.#call("GET", "schema", SchemaResponse);
  }

  jobs(): Promise<JobsResponse> {
    return this.#call("GET", "jobs", JobsResponse);
  }

  async abort(): Promise<boolean> {
    return (await this.#call("POST", "abort", z.strictObject({ aborted: z.boolean() }))).aborted;
  }

  identity(): Promise<IdentityResponse> {
    return this.#call("GET", "identity", IdentityResponse);
  }

  beginWork(request: WorkRequest): Promise<WorkResponse> {
    return this.#call("POST", "work", WorkResponse, { body: request });
  }

  /** @throws where the id names nothing. */
  useReference(request: ReferenceRequest): Promise<ReferenceResponse> {
    return this.#call("POST", "reference", ReferenceResponse, { body: request });
  }

  /** Has the harness stop its executor. @throws where there is none. */
  async stopExecutor(): Promise<void> {
    await this.#call("POST", "stop-executor", z.strictObject({ stopped: z.literal(true) }));
  }

  armWitness(request: WitnessRequest): Promise<WitnessResponse> {
    return call(this.#peer, "POST", this.#witness, WitnessResponse, { body: request });
  }

  /** Resets the object by `ctx.abort()`. The request is lost with the object, so an answer means that it was not. */
  reset(): Promise<ResetOutcome> {
    return this.#lostBy("reset");
  }

  async #lostBy(request: string, signal?: AbortSignal): Promise<ResetOutcome> {
    try {
      const options = signal === undefined ? {} : { signal };
      const answer = await call(this.#peer, "POST", `${this.#object}/${request}`, z.unknown(), options);
      return { lost: false, error: `the object answered ${JSON.stringify(answer).slice(0, 200)}` };
    } catch (error) {
      if (error instanceof PeerError && error.code !== OBJECT_LOST)
        return { lost: false, error: `${error.code}: ${error.message}` };
      return { lost: true, error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The writes that were numbered, as `prepare` asked for. */
  async writes(): Promise<WritesResponse["writes"]> {
    return (await this.#call("GET", "writes", WritesResponse)).writes;
  }

  /** Stays open until the object is lost at the write that `prepare` named. */
  loss(signal: AbortSignal): Promise<ResetOutcome> {
    return this.#lostBy("loss", signal);
  }

  /** Has the object and its witness forget everything. Each is lost with its request, so an answer means that it was not. */
  async halt(): Promise<void> {
    for (const path of [`${this.#witness}/halt`, `${this.#object}/halt`]) {
      const lost = await call(this.#peer, "POST", path, z.unknown()).then(
        () => false,
        (error: unknown) => {
          if (error instanceof PeerError && error.code !== OBJECT_LOST) throw error;
          return true;
        },
      );
      if (!lost) throw new Error(`'${path}' was answered: nothing was halted`);
    }
  }

  /** Of the last request that was answered, refused ones too. */
  get served(): Served {
    return this.#served;
  }

  #call<T>(
    method: "GET" | "POST",
    request: string,
    schema: z.ZodType<T>,
    options: Pick<CallOptions, "body" | "signal"> = {},
  ): Promise<T> {
    this.#sentSince++;
    const onAnswer = (headers: Headers) => this.#note(headers);
    return call(this.#peer, method, `${this.#object}/${request}`, schema, { ...options, onAnswer });
  }

  #note(headers: Headers): void {
    const activation = headers.get(SERVED_BY_HEADER);
    if (activation === null) return;
    const total = Number(headers.get(REQUESTS_HEADER) ?? Number.NaN);
    const unsent = this.#counted === null ? Number.NaN : total - this.#counted - this.#sentSince;
    // Less than nothing: the object lost its count, with all that it had stored.
    this.#served = { activation, unsent: unsent >= 0 ? unsent : null };
    this.#counted = Number.isNaN(total) ? null : total;
    this.#sentSince = 0;
  }
}
