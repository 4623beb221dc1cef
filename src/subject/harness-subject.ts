/**
 * What every subject with a harness of `agents` has in common: a plain Durable Object whose entry points note what woke
 * it and leave everything to the Lifecycle, and the operations that need no harness.
 *
 * Leaves to each subject: the harness itself, through its public interface, and what the harness offers.
 */
import { DurableObject } from "cloudflare:workers";
import type { Lifecycle } from "agents/lifecycle";
import type { LedgerToolOptions } from "../plugin/ledger-tools.ts";
import { KeySource } from "../trace/levels.ts";
import type { Via } from "../trace/observations.ts";
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
} from "../trace/protocol/subject-protocol.ts";
import type { HostIdentity } from "../trace/spec.ts";
import { Activation } from "./activation.ts";
import { Beacon } from "./beacon.ts";
import { ledgerOf } from "./links.ts";
import { type SubjectOperations, serveOperation } from "./operations.ts";
import { readJobs, readSchema } from "./storage-inspection.ts";
import type { SubjectEnv } from "./subject-env.ts";

/** How an operation ended, in the words that all harnesses of `agents` share. */
type HarnessResult = {
  readonly session: string;
  readonly status: "done" | "unanswered";
  readonly reason?: string;
  readonly text?: string;
};

export abstract class HarnessSubject extends DurableObject<SubjectEnv> implements SubjectOperations {
  protected readonly activation = new Activation({
    storage: this.ctx.storage,
    object: this.ctx.id.toString(),
    ledger: ledgerOf(this.env, this.trial()),
    host: this.identity(),
    version: {
      id: this.env.CF_VERSION_METADATA?.id ?? "",
      tag: this.env.KIT_BUILD ?? this.env.CF_VERSION_METADATA?.tag ?? "",
    },
  });
  /** To be used before the harness. */
  protected readonly beacon = new Beacon(this.activation);

  /** The Lifecycle with the beacon and the harness. */
  abstract readonly lifecycle: Lifecycle;
  /** The session that the trial uses. */
  protected abstract readonly session: string;
  /** What runs the agent. */
  protected abstract identity(): HostIdentity;

  abstract submit(request: SubmitRequest): Promise<SubmitResponse>;
  abstract wait(request: WaitRequest): Promise<WaitResponse>;
  abstract transcript(via: Via): Promise<TranscriptResponse>;
  abstract abort(): Promise<boolean>;

  override fetch(request: Request): Promise<Response> {
    this.activation.enteredBy("fetch");
    return this.lifecycle.fetch(request);
  }

  override alarm(): Promise<void> {
    this.activation.enteredBy("alarm");
    return this.lifecycle.alarm();
  }

  onRequest(request: Request): Promise<Response> {
    return serveOperation(request, this);
  }

  async prepare({ marker, key }: PrepareRequest): Promise<PrepareResponse> {
    this.activation.writeMarker(marker);
    this.activation.writeSetting("key", key);
    return {
      activation: this.activation.id,
      generation: this.activation.generation,
      session: this.session,
    };
  }

  /** Only some harnesses keep a durable log of events. */
  async log(_after: number | null): Promise<LogResponse> {
    return { offered: false, session: this.session, items: [], complete: true };
  }

  async schema(): Promise<SchemaResponse> {
    return readSchema(this.ctx.storage);
  }

  jobs(): Promise<JobsResponse> {
    return readJobs(this.ctx.storage);
  }

  reset(): never {
    this.ctx.abort("recovery-kit: reset by ctx.abort()");
    // The runtime never lets this line run; it tells the compiler what the runtime does.
    throw new Error("ctx.abort() returned");
  }

  /** What the ledger tools of this activation need, whatever harness wraps them. */
  protected ledgerToolOptions(): LedgerToolOptions {
    return {
      ledger: ledgerOf(this.env, this.trial()),
      identify: () => this.activation.identify(),
      key: () => KeySource.parse(this.activation.readSetting("key") ?? "scenario"),
    };
  }

  /** A harness's wait with a bound; running out stops only the wait. */
  protected async waitWithin(
    { operationId, timeoutMs }: WaitRequest,
    wait: (operationId: string, signal: AbortSignal) => Promise<HarnessResult>,
  ): Promise<WaitResponse> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { session, status, reason, text } = await wait(operationId, signal);
      return {
        settled: true,
        result: { operationId, session, status, reason: reason ?? null, text: text ?? null },
      };
    } catch (error) {
      if (signal.aborted) return { settled: false, waitedMs: timeoutMs };
      throw error;
    }
  }

  protected trial(): string {
    return this.ctx.id.name ?? "";
  }
}
