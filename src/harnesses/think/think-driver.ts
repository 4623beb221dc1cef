/**
 * `ThinkHarness` in a plain Durable Object, with the ledger tools as its only tools, which it may not run again: the
 * model is told of an interrupted call (`recovery: "report"`, the harness's default).
 *
 * It keeps a transcript and a queue of operations, and no log of events. It cannot steer a running turn.
 */
import { DurableObject } from "cloudflare:workers";
import { ThinkHarness } from "agents/harness/think";
import { Lifecycle } from "agents/lifecycle";
import type { ToolSet } from "ai";
import { ledgerTools } from "../../plugin/ai-sdk-tools.ts";
import type { Driver } from "../../subject/driver.ts";
import type { TrialEnv } from "../../subject/subject-env.ts";
import { harnessIdentity, scriptedModel } from "../scripted-model.ts";

/**
 * The root session's id is the empty text, which a record cannot tell from a missing one: the trial uses a session
 * with a name, which the harness treats alike.
 */
const SESSION = "main";

export class ThinkObject extends DurableObject<TrialEnv> {
  readonly harness = new ThinkHarness({ model: scriptedModel(this.env, SESSION), tools: this.tools() });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  protected tools(): ToolSet {
    return ledgerTools(this.env.TRIAL.ledgerTools, SESSION);
  }
}

/** With tools that it may run again by itself when a call was cut short (`recovery: "rerun"`). */
export class ThinkRerunObject extends ThinkObject {
  protected override tools(): ToolSet {
    return Object.fromEntries(
      Object.entries(super.tools()).map(([name, tool]) => [name, { ...tool, recovery: "rerun" }]),
    );
  }
}

export const thinkDriver: Driver<ThinkObject> = {
  host: () => harnessIdentity("think"),
  session: SESSION,
  start: ({ lifecycle }) => lifecycle.start(),
  submit: ({ harness }, { operationId, text }) => harness.session(SESSION).submit(text, { operationId }),
  wait: ({ harness }, operationId, signal) => harness.session(SESSION).wait(operationId, signal),
  async transcript({ harness }) {
    const session = harness.session(SESSION);
    const [messages, pending] = [await session.messages(), await session.pending()];
    return { messages, pending: pending.map(({ operationId, status }) => ({ operationId, status })) };
  },
  abort: ({ harness }) => harness.session(SESSION).abort(),
};
