/**
 * What the scripted model needs of the ledger, as an interface: the model numbers nothing and holds nothing
 * itself. The controller implements it over the ledger's HTTP protocol.
 */
import type { RecordDraft } from "../trace/index.ts";
import type {
  ModelCallRequest,
  ModelCallResponse,
  ModelStreamRequest,
} from "../trace/protocol/ledger-protocol.ts";

export interface ModelLedger {
  /** Records `model.requested`, numbers the call, and answers after any hold at `model-request`. */
  modelCall(request: ModelCallRequest): Promise<ModelCallResponse>;
  /** Answers after any hold at `model-stream`; at once when there is none. */
  modelStream(request: ModelStreamRequest): Promise<unknown>;
  /** Appends `model.answered` or `model.refused`; the same `id` again appends nothing. */
  append(id: string, record: RecordDraft<"model.answered" | "model.refused">): Promise<unknown>;
}
