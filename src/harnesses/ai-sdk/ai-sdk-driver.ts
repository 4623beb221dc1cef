/**
 * `AiSdkHarness` in a plain Durable Object, with the ledger tools as its only tools. A run of it is one `streamText`
 * call; what the harness saves of a turn, it saves when that call has ended.
 *
 * It keeps a transcript and a queue of operations, and no log of events. It cannot steer a running turn.
 */
import { DurableObject } from "cloudflare:workers";
import { AiSdkHarness } from "agents/harness/ai-sdk";
import { Lifecycle } from "agents/lifecycle";
import { ledgerTools } from "../../plugin/ai-sdk-tools.ts";
import type { Driver } from "../../subject/driver.ts";
import type { TrialEnv } from "../../subject/subject-env.ts";
import { harnessIdentity, scriptedModel } from "../scripted-model.ts";

/** The harness's own name for its default session. */
const SESSION = "main";

export class AiSdkObject extends DurableObject<TrialEnv> {
  readonly harness = new AiSdkHarness({
    model: scriptedModel(this.env, SESSION),
    tools: ledgerTools(this.env.TRIAL.ledgerTools, SESSION),
  });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);
}

export const aiSdkDriver: Driver<AiSdkObject> = {
  host: () => harnessIdentity("ai-sdk"),
  session: SESSION,
  start: ({ lifecycle }) => lifecycle.start(),
  submit({ harness }, { operationId, text }) {
    const input = { parts: [{ type: "text", text }] } as const;
    return harness.session(SESSION).submit(input, { operationId });
  },
  wait: ({ harness }, operationId, signal) => harness.session(SESSION).wait(operationId, signal),
  /** The harness shows its state only to a watcher. */
  async transcript({ harness }) {
    const watch = await harness.session(SESSION).watch();
    await watch.stop();
    return {
      messages: [...watch.state.messages],
      pending: watch.state.pending.map(({ operationId, status }) => ({ operationId, status })),
    };
  },
  abort: ({ harness }) => harness.session(SESSION).abort(),
};
