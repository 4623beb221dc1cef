/** One object under test as the controller sees it: one method per request of `src/trace/protocol/subject-protocol.ts`. */
import { z } from "zod";
import type { Subject } from "../trace/levels.ts";
import type { Via } from "../trace/observations.ts";
import type { RefusalCode } from "../trace/protocol/refusals.ts";
import {
  JobsResponse,
  LogResponse,
  type PrepareRequest,
  PrepareResponse,
  SchemaResponse,
  type SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitResponse,
  type WitnessRequest,
  WitnessResponse,
} from "../trace/protocol/subject-protocol.ts";
import { call, type Peer, PeerError } from "./call.ts";

const OBJECT_LOST: RefusalCode = "object-lost";

/** What became of a reset through the object: the exact text that its caller saw, or an unexpected answer. */
export type ResetOutcome =
  | { readonly lost: true; readonly error: string }
  | { readonly lost: false; readonly error: string };

export class SubjectLink {
  readonly #peer: Peer;
  readonly #object: string;
  readonly #witness: string;

  constructor(peer: Peer, subject: Subject, trial: string) {
    this.#peer = peer;
    this.#object = `/subjects/${subject}/trials/${trial}`;
    this.#witness = `/witnesses/${trial}`;
  }

  prepare(request: PrepareRequest): Promise<PrepareResponse> {
    return call(this.#peer, "POST", `${this.#object}/prepare`, PrepareResponse, { body: request });
  }

  submit(request: SubmitRequest): Promise<SubmitResponse> {
    return call(this.#peer, "POST", `${this.#object}/submit`, SubmitResponse, { body: request });
  }

  /** A further prompt about the same operation. */
  followUp(request: SubmitRequest): Promise<SubmitResponse> {
    return call(this.#peer, "POST", `${this.#object}/follow-up`, SubmitResponse, { body: request });
  }

  /** `signal` closes the client's connection, which is not the same as the wait's own bound. */
  wait(operationId: string, timeoutMs: number, signal?: AbortSignal): Promise<WaitResponse> {
    const body = { operationId, timeoutMs };
    return call(this.#peer, "POST", `${this.#object}/wait`, WaitResponse, {
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  log(after: number | null): Promise<LogResponse> {
    const query = after === null ? "" : `?after=${after}`;
    return call(this.#peer, "GET", `${this.#object}/log${query}`, LogResponse);
  }

  transcript(via: Via): Promise<TranscriptResponse> {
    return call(this.#peer, "GET", `${this.#object}/transcript?via=${via}`, TranscriptResponse);
  }

  schema(): Promise<SchemaResponse> {
    return call(this.#peer, "GET", `${this.#object}/schema`, SchemaResponse);
  }

  jobs(): Promise<JobsResponse> {
    return call(this.#peer, "GET", `${this.#object}/jobs`, JobsResponse);
  }

  async abort(): Promise<boolean> {
    return (await call(this.#peer, "POST", `${this.#object}/abort`, z.strictObject({ aborted: z.boolean() })))
      .aborted;
  }

  armWitness(request: WitnessRequest): Promise<WitnessResponse> {
    return call(this.#peer, "POST", this.#witness, WitnessResponse, { body: request });
  }

  /** Resets the object by `ctx.abort()`. The request is lost with the object, so an answer means that it was not. */
  async reset(): Promise<ResetOutcome> {
    try {
      const answer = await call(this.#peer, "POST", `${this.#object}/reset`, z.unknown());
      return { lost: false, error: `the object answered ${JSON.stringify(answer).slice(0, 200)}` };
    } catch (error) {
      if (error instanceof PeerError && error.code !== OBJECT_LOST)
        return { lost: false, error: `${error.code}: ${error.message}` };
      return { lost: true, error: error instanceof Error ? error.message : String(error) };
    }
  }
}
