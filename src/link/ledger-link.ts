/** The ledger Worker as its callers see it: one method per request of `src/trace/protocol/ledger-protocol.ts`. */

import { z } from "zod";
import {
  AppendListResponse,
  type AppendRequest,
  AppendResponse,
  type AttemptRequest,
  AttemptResponse,
  AwaitResponse,
  type EndRequest,
  type LedgerConfig,
  LedgerStatus,
  type LookUpRequest,
  LookUpResponse,
  type ModelCallRequest,
  ModelCallResponse,
  RecordResponse,
  type ReleaseRequest,
} from "../trace/protocol/ledger-protocol.ts";
import type { JournalRecord, RecordDraft } from "../trace/records.ts";
import { type CallOptions, call, type Peer, send } from "./call.ts";

const Nothing = z.strictObject({});

/** One trial's ledger. Methods fail as `call` does. */
export class LedgerLink {
  readonly #peer: Peer;
  readonly #path: string;

  constructor(peer: Peer, trial: string) {
    this.#peer = peer;
    this.#path = `/trials/${trial}`;
  }

  configure(config: LedgerConfig): Promise<LedgerStatus> {
    return call(this.#peer, "PUT", this.#path, LedgerStatus, { body: config });
  }

  status(): Promise<LedgerStatus> {
    return call(this.#peer, "GET", this.#path, LedgerStatus);
  }

  /** Appends one record once: the same `id` again changes nothing. */
  append(id: string, record: RecordDraft, options: CallOptions = {}): Promise<AppendResponse> {
    return call(this.#peer, "POST", `${this.#path}/records`, AppendResponse, {
      ...options,
      body: { id, record },
    });
  }

  /** Appends several records in their order, each once, all or none. */
  appendAll(records: readonly AppendRequest[]): Promise<AppendListResponse> {
    return call(this.#peer, "POST", `${this.#path}/record-lists`, AppendListResponse, { body: { records } });
  }

  /** What was appended under `id`; null when nothing was. */
  async recorded(id: string): Promise<JournalRecord | null> {
    const path = `${this.#path}/records/${encodeURIComponent(id)}`;
    return (await call(this.#peer, "GET", path, RecordResponse)).record;
  }

  attempt(request: AttemptRequest, options: CallOptions = {}): Promise<AttemptResponse> {
    return call(this.#peer, "POST", `${this.#path}/attempts`, AttemptResponse, { ...options, body: request });
  }

  lookUp(request: LookUpRequest): Promise<LookUpResponse> {
    return call(this.#peer, "POST", `${this.#path}/look-ups`, LookUpResponse, { body: request });
  }

  modelCall(request: ModelCallRequest): Promise<ModelCallResponse> {
    return call(this.#peer, "POST", `${this.#path}/model-calls`, ModelCallResponse, { body: request });
  }

  async modelStream(request: { readonly call: number }): Promise<void> {
    await call(this.#peer, "POST", `${this.#path}/model-streams`, Nothing, { body: request });
  }

  release(request: ReleaseRequest): Promise<LedgerStatus> {
    return call(this.#peer, "POST", `${this.#path}/releases`, LedgerStatus, { body: request });
  }

  end(request: EndRequest): Promise<LedgerStatus> {
    return call(this.#peer, "POST", `${this.#path}/end`, LedgerStatus, { body: request });
  }

  /** The first record of one of `types` after `after`, or null when none came within `timeoutMs`. */
  await(types: readonly string[], after: number, timeoutMs: number): Promise<AwaitResponse> {
    const query = new URLSearchParams({
      types: types.join(","),
      after: String(after),
      timeoutMs: String(timeoutMs),
    });
    return call(this.#peer, "GET", `${this.#path}/await?${query}`, AwaitResponse);
  }

  /** One page of the stored lines, exactly as hashed. */
  async journal(after: number, limit: number): Promise<Response> {
    return send(this.#peer, "GET", `${this.#path}/journal?after=${after}&limit=${limit}`);
  }
}
