/**
 * `AiSdkHarness` in a plain Durable Object, with the ledger tools as its only tools. A run of it is one `streamText`
 * call; what the harness saves of a turn, it saves when that call has ended.
 *
 * It keeps a transcript and a queue of operations, and no log of events. It cannot steer a running turn.
 */
import { AiSdkHarness } from "agents/harness/ai-sdk";
import { Lifecycle } from "agents/lifecycle";
import { ledgerTools } from "../plugin/ai-sdk-tools.ts";
import type {
  SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitRequest,
  WaitResponse,
} from "../trace/protocol/subject-protocol.ts";
import type { HostIdentity } from "../trace/spec.ts";
import { harnessIdentity, scriptedModel } from "./ai-sdk-model.ts";
import { HarnessSubject } from "./harness-subject.ts";

/** The harness's own name for its default session. */
const SESSION = "main";

export class AiSdkSubject extends HarnessSubject {
  protected readonly session = SESSION;

  readonly #harness = new AiSdkHarness({
    model: scriptedModel({
      trial: this.trial(),
      session: SESSION,
      activation: this.activation.id,
      controller: this.env.CONTROLLER,
      secret: this.env.KIT_SECRET ?? "",
    }),
    tools: ledgerTools(this.ledgerToolOptions(), SESSION),
  });

  readonly lifecycle = Lifecycle.install(this).use(this.beacon).use(this.#harness);

  protected identity(): HostIdentity {
    return harnessIdentity("ai-sdk");
  }

  async submit({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    const input = { parts: [{ type: "text", text }] } as const;
    const receipt = await this.#harness.session(SESSION).submit(input, { operationId });
    return {
      operationId: receipt.operationId,
      session: receipt.session,
      accepted: receipt.accepted,
      activation: this.activation.id,
    };
  }

  wait(request: WaitRequest): Promise<WaitResponse> {
    return this.waitWithin(request, (operationId, signal) =>
      this.#harness.session(SESSION).wait(operationId, signal),
    );
  }

  /** The harness shows its state only to a watcher. */
  async transcript(): Promise<TranscriptResponse> {
    const watch = await this.#harness.session(SESSION).watch();
    await watch.stop();
    return {
      session: SESSION,
      messages: [...watch.state.messages],
      pending: watch.state.pending.map(({ operationId, status }) => ({ operationId, status })),
    };
  }

  abort(): Promise<boolean> {
    return this.#harness.session(SESSION).abort();
  }
}
