/**
 * `ContainerHarness` in a plain Durable Object: the object keeps session, queue and transcript, and an agent CLI in a container
 * does the work. The container is a process here (supervised-container.ts); harness, daemon and adapter are the package's own.
 *
 * It keeps a transcript and a queue of operations, and no log of events that could be read on.
 */
import { DurableObject } from "cloudflare:workers";
import { ContainerHarness, containerAgent, ROOT_SESSION } from "agents/harness/container";
import { Lifecycle } from "agents/lifecycle";
import type { Driver } from "../../subject/driver.ts";
import type { TrialEnv } from "../../subject/subject-env.ts";
import { SESSION_VARIABLE } from "../../trace/protocol/container-protocol.ts";
import { harnessIdentity } from "../scripted-model.ts";
import { containerIdle } from "./container-traits.ts";
import { SupervisedContainer } from "./supervised-container.ts";

export class ContainerObject extends DurableObject<TrialEnv> {
  readonly container = new SupervisedContainer(this.ctx, this.env);
  readonly harness = new ContainerHarness({
    // What it lacks, the harness uses only for images that it sets up itself.
    container: this.container as unknown as Container,
    agent: containerAgent({
      image: "kit-agent",
      adapter: this.adapter(),
      env: { [SESSION_VARIABLE]: ROOT_SESSION },
    }),
    onContainerLost: this.onContainerLost(),
    ...this.idleStop(),
  });
  readonly lifecycle = Lifecycle.install(this).use(this.harness);

  /** Name of the agent, among those that the daemon has. */
  protected adapter(): string {
    return "kit-agent";
  }

  /** The harness's default. */
  protected onContainerLost(): "fail" | "retry" {
    return "fail";
  }

  /** The harness's default is five minutes. */
  protected idleStop(): { readonly idleTimeoutMs?: number } {
    return {};
  }
}

/** Which runs an operation again when its container was lost. */
export class ContainerRetryObject extends ContainerObject {
  protected override onContainerLost(): "retry" {
    return "retry";
  }
}

/** Which stops its container soon after the last work. */
export class ContainerIdleObject extends ContainerObject {
  protected override idleStop() {
    return { idleTimeoutMs: containerIdle.idleStopMs };
  }
}

export const containerDriver: Driver<ContainerObject> = {
  host: () => harnessIdentity("container"),
  session: ROOT_SESSION,
  start: ({ lifecycle }) => lifecycle.start(),
  submit: ({ harness }, { operationId, text, session = ROOT_SESSION }) =>
    harness.submit(text, { operationId, session }),
  wait: ({ harness }, operationId, signal, session = ROOT_SESSION) =>
    harness.wait(operationId, { signal, session }),
  async begin({ harness }, { beginning, operationId, text }) {
    const session = beginning === "new" ? await harness.sessions.create() : harness.session();
    if (beginning === "reset") await session.reset();
    const { accepted } = await session.submit(text, { operationId });
    return { operationId, session: session.id, accepted };
  },
  openSession: async ({ harness }) => (await harness.sessions.create()).id,
  /** By its store: 0.32 has no public way. */
  async deleteSession({ harness }, session) {
    if (!(await harness.store()).deleteSession(session)) throw new Error(`there is no session ${session}`);
  },
  async events({ harness }, session) {
    const { snapshot, start, stop } = await harness.session(session).events();
    const messages: Record<string, number> = {};
    for (const { operationId } of snapshot.messages)
      if (operationId !== undefined) messages[operationId] = (messages[operationId] ?? 0) + 1;
    return {
      begins: {
        kind: "begins",
        pending: snapshot.pending.map(({ operationId }) => operationId),
        messages,
      },
      start: (tell) =>
        start((events) => {
          for (const event of events) {
            if (event.type !== "operation-end") continue;
            const { operationId, status, reason = null } = event.result;
            tell({ kind: "ended", operationId, status, reason });
          }
        }),
      stop,
    };
  },
  async transcript({ harness }) {
    const [messages, pending] = [await harness.messages(), await harness.pending()];
    return { messages, pending: pending.map(({ operationId, status }) => ({ operationId, status })) };
  },
  abort: ({ harness }) => harness.abort(),
  executor: async ({ harness, container }) => ({
    ...(await harness.container()),
    markers: await container.markers(),
  }),
  stopExecutor: ({ harness }) => harness.stop(),
};
