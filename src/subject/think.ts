/**
 * `ThinkHarness` in a plain Durable Object, with the ledger tools as its only tools, which it may not run again: the
 * model is told of an interrupted call (`recovery: "report"`, the harness's default).
 *
 * It keeps a transcript and a queue of operations, and no log of events. It cannot steer a running turn.
 */
import { ThinkHarness } from "agents/harness/think";
import { Lifecycle } from "agents/lifecycle";
import type { ToolSet } from "ai";
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

/**
 * The root session's id is the empty text, which a record cannot tell from a missing one: the trial uses a session
 * with a name, which the harness treats alike.
 */
const SESSION = "main";

export class ThinkSubject extends HarnessSubject {
  protected readonly session = SESSION;

  readonly #harness = new ThinkHarness({
    model: scriptedModel({
      trial: this.trial(),
      session: SESSION,
      activation: this.activation.id,
      controller: this.env.CONTROLLER,
      secret: this.env.KIT_SECRET ?? "",
    }),
    tools: this.tools(),
  });

  readonly lifecycle = Lifecycle.install(this).use(this.beacon).use(this.#harness);

  protected identity(): HostIdentity {
    return harnessIdentity("think");
  }

  protected tools(): ToolSet {
    return ledgerTools(this.ledgerToolOptions(), SESSION);
  }

  async submit({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    const receipt = await this.#harness.session(SESSION).submit(text, { operationId });
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

  async transcript(): Promise<TranscriptResponse> {
    const session = this.#harness.session(SESSION);
    const [messages, pending] = [await session.messages(), await session.pending()];
    return {
      session: SESSION,
      messages,
      pending: pending.map(({ operationId, status }) => ({ operationId, status })),
    };
  }

  abort(): Promise<boolean> {
    return this.#harness.session(SESSION).abort();
  }
}
