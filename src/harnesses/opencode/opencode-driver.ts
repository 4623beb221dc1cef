/**
 * The subject that the kit exists for: `OpenCodeHarness` in a plain Durable Object, with the ledger plugin as its
 * only tools. Keeps to the harness's public interface; judges nothing.
 */
import { DurableObject } from "cloudflare:workers";
import { OpenCodeHarness, ROOT_SESSION } from "agents/harness/opencode";
import { Lifecycle } from "agents/lifecycle";
import { hostIdentity, openHost, SCRIPTED_MODEL } from "../../host/open.ts";
import { COMMIT_TOOL, LOOK_UP_TOOL } from "../../plugin/ledger-tools.ts";
import { ledgerPlugin } from "../../plugin/opencode-plugin.ts";
import type { Driver } from "../../subject/driver.ts";
import type { TrialEnv } from "../../subject/subject-env.ts";

/** Most log items returned in one answer; a turn of the kit has about thirty. */
const LOG_ITEMS_MAX = 5_000;

export class OpenCodeObject extends DurableObject<TrialEnv> {
  #openings = 0;
  readonly harness = new OpenCodeHarness({
    opencode: async ({ storage }) => {
      const { CONTROLLER, KIT_SECRET, TRIAL } = this.env;
      const host = await openHost({
        storage,
        trial: TRIAL.trial,
        activation: TRIAL.activation,
        controller: CONTROLLER,
        secret: KIT_SECRET ?? "",
        tools: [COMMIT_TOOL, LOOK_UP_TOOL],
        plugins: [ledgerPlugin(TRIAL.ledgerTools)],
      });
      return this.#noting(host);
    },
    defaults: { model: SCRIPTED_MODEL, agent: "build" },
  });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  /** The harness opens a host when it needs one and closes it when it is idle: neither is the loss of an object. */
  #noting<Host extends { close(): Promise<void> }>(host: Host): Host {
    const { TRIAL } = this.env;
    const opening = ++this.#openings;
    const said = { source: "subject", activation: TRIAL.activation, opening, because: null } as const;
    TRIAL.note(`host-opened:${opening}`, { ...said, type: "host.opened" });
    return new Proxy(host, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (name !== "close") return value.bind(target);
        return async () => {
          await target.close();
          TRIAL.note(`host-closed:${opening}`, { ...said, type: "host.closed" });
        };
      },
    });
  }
}

export const openCodeDriver: Driver<OpenCodeObject> = {
  host: hostIdentity,
  session: ROOT_SESSION,
  start: ({ lifecycle }) => lifecycle.start(),
  submit: ({ harness }, { operationId, text }) => harness.submit(text, { operationId }),
  wait: ({ harness }, operationId, signal) => harness.wait(operationId, { signal }),
  async log({ harness }, after) {
    const items: unknown[] = [];
    for await (const item of harness.session().log(after === null ? {} : { after })) {
      if (items.length === LOG_ITEMS_MAX) return { items, complete: false };
      items.push(item);
    }
    return { items, complete: true };
  },
  async transcript({ harness }, via) {
    const messages = await harness.session()[via]();
    const pending = await harness.pending({ session: ROOT_SESSION });
    return {
      via,
      messages: [...messages],
      pending: pending.map(({ operationId, status }) => ({ operationId, status })),
    };
  },
  abort: ({ harness }) => harness.abort(),
};
