/**
 * The subject that the kit exists for: `OpenCodeHarness` in a plain Durable Object, with the ledger plugin as its
 * only tools. Keeps to the harness's public interface; judges nothing.
 */
import { OpenCodeHarness, ROOT_SESSION } from "agents/harness/opencode";
import { Lifecycle } from "agents/lifecycle";
import { hostIdentity, openHost, SCRIPTED_MODEL } from "../host/open.ts";
import { COMMIT_TOOL, LOOK_UP_TOOL } from "../plugin/ledger-tools.ts";
import { ledgerPlugin } from "../plugin/opencode-plugin.ts";
import type { Via } from "../trace/observations.ts";
import type {
  LogResponse,
  SubmitRequest,
  SubmitResponse,
  TranscriptResponse,
  WaitRequest,
  WaitResponse,
} from "../trace/protocol/subject-protocol.ts";
import type { HostIdentity } from "../trace/spec.ts";
import { HarnessSubject } from "./harness-subject.ts";

/** Most log items returned in one answer; a turn of the kit has about thirty. */
const LOG_ITEMS_MAX = 5_000;

export class OpenCodeSubject extends HarnessSubject {
  protected readonly session = ROOT_SESSION;

  readonly #harness = new OpenCodeHarness({
    opencode: ({ storage }) =>
      openHost({
        storage,
        trial: this.trial(),
        activation: this.activation.id,
        controller: this.env.CONTROLLER,
        secret: this.env.KIT_SECRET ?? "",
        tools: [COMMIT_TOOL, LOOK_UP_TOOL],
        plugins: [ledgerPlugin(this.ledgerToolOptions())],
      }),
    defaults: { model: SCRIPTED_MODEL, agent: "build" },
  });

  readonly lifecycle = Lifecycle.install(this).use(this.beacon).use(this.#harness);

  protected identity(): HostIdentity {
    return hostIdentity();
  }

  async submit({ operationId, text }: SubmitRequest): Promise<SubmitResponse> {
    const receipt = await this.#harness.submit(text, { operationId });
    return {
      operationId: receipt.operationId,
      session: receipt.session,
      accepted: receipt.accepted,
      activation: this.activation.id,
    };
  }

  wait(request: WaitRequest): Promise<WaitResponse> {
    return this.waitWithin(request, (operationId, signal) => this.#harness.wait(operationId, { signal }));
  }

  override async log(after: number | null): Promise<LogResponse> {
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

  async transcript(via: Via): Promise<TranscriptResponse> {
    const messages = await this.#harness.session()[via]();
    const pending = await this.#harness.pending({ session: ROOT_SESSION });
    return {
      session: ROOT_SESSION,
      via,
      messages: [...messages],
      pending: pending.map(({ operationId, status }) => ({ operationId, status })),
    };
  }

  abort(): Promise<boolean> {
    return this.#harness.abort();
  }
}
