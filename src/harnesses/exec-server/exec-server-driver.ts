/**
 * An agent whose commands run in an executor that it only knows through a client: `ThinkHarness` asks the model in the object,
 * and each tool call is a command in an exec server behind a `RebindingClient`. The server is the kit's own or the one of the Codex
 * CLI; the container in which it runs is a process here, as for subject `container`.
 */
import { jsonSchema, type ToolSet, tool } from "ai";
import { LEDGER_TOOLS } from "../../plugin/ledger-tools.ts";
import type { Driver } from "../../subject/driver.ts";
import { SESSION_VARIABLE } from "../../trace/protocol/container-protocol.ts";
import { SupervisedContainer } from "../container/supervised-container.ts";
import { ThinkObject, thinkDriver } from "../think/think-driver.ts";
import {
  Binding,
  type ExecutorSource,
  type IdForm,
  type Notes,
  passingNotes,
  RebindingClient,
} from "./rebinding-client.ts";

/** How long a started executor may take until it listens, in ms, on a busy machine. */
const LISTENS_MS = 30_000;
const LOOK_MS = 50;
/** The ledger's tools as a program, as the executor's environment names it. */
const LEDGER_COMMAND = ["/bin/sh", "-c", 'exec "$KIT_NODE" "$KIT_LEDGER_COMMAND" "$@"', "sh"] as const;
/** Key of what the client knows of its session. */
const BINDING = "exec-server:binding";
/** Work of a client's that only has to be there: longer than a trial. */
const LASTING = ["sleep", "600"] as const;

export class ExecServerObject extends ThinkObject {
  readonly container = new SupervisedContainer(this.ctx, this.env);
  readonly client = new RebindingClient(this.#source(), this.notes(), this.idForm());

  /** Name of the program that runs in the container. */
  protected program(): string {
    return "exec-server";
  }

  protected idForm(): IdForm {
    return "generation";
  }

  protected notes(): Notes {
    return durableNotes(this.ctx.storage);
  }

  /** Whether a call that was cut short may run again: then what was begun for it is waited for. */
  protected isResumable(): boolean {
    return true;
  }

  protected override tools(): ToolSet {
    return Object.fromEntries(
      LEDGER_TOOLS.map(({ name, description, inputSchema }) => [
        name,
        {
          ...tool({
            description,
            inputSchema: jsonSchema<unknown>(inputSchema),
            execute: (input, { toolCallId }) =>
              this.client.run(toolCallId, [...LEDGER_COMMAND, name, JSON.stringify(input), toolCallId]),
          }),
          ...(this.isResumable() ? { recovery: "rerun" } : {}),
        },
      ]),
    );
  }

  #source(): ExecutorSource {
    const { container } = this;
    return {
      isRunning: () => container.running,
      executor: () => container.executor,
      start: () =>
        container.start({
          env: {
            CF_HARNESS_RUNTIME_ID: crypto.randomUUID(),
            CF_HARNESS_ADAPTER: this.program(),
            [SESSION_VARIABLE]: thinkDriver.session,
          },
          enableInternet: false,
        }),
      connect: () => dial(container),
    };
  }
}

/** Whose executor is the exec server of the Codex CLI. */
export class CodexExecServerObject extends ExecServerObject {
  protected override program(): string {
    return "codex-exec-server";
  }
}

/** Whose client remembers nothing beyond its own life: what it began before, it cannot go on with. */
export class CodexExecServerMemoryObject extends CodexExecServerObject {
  protected override notes(): Notes {
    return passingNotes();
  }

  protected override isResumable(): boolean {
    return false;
  }
}

/** Whose ids carry no generation. */
export class CodexExecServerBareObject extends CodexExecServerObject {
  protected override idForm(): IdForm {
    return "bare";
  }
}

export const execServerDriver: Driver<ExecServerObject> = {
  ...thinkDriver,
  wait: ({ harness }, operationId, signal, session = thinkDriver.session) =>
    harness.session(session).wait(operationId, signal),
  async begin({ harness }, { beginning, operationId, text }) {
    if (beginning === "reset") throw new Error("a session of this harness cannot be reset");
    return harness.session(operationId).submit(text, { operationId });
  },
  executor: async ({ container, client }) => ({
    running: container.running,
    runtimeId: client.executor ?? undefined,
    markers: await container.markers(),
  }),
  async beginWork({ client }, work) {
    const reference = await client.begin(work, LASTING);
    return { reference, executor: client.executor };
  },
  workAt: ({ client }, reference) => client.workAt(reference),
};

/** @throws when nothing listens there in time, or what was started has ended. */
async function dial(container: SupervisedContainer): Promise<WebSocket> {
  const deadline = Date.now() + LISTENS_MS;
  for (;;) {
    const { webSocket, status } = await container
      .getTcpPort(0)
      .fetch("http://executor.invalid/", { headers: { upgrade: "websocket" } });
    if (webSocket != null) {
      webSocket.accept();
      return webSocket;
    }
    if (Date.now() >= deadline || !container.running)
      throw new Error(`the executor takes no connection: ${status}`);
    await scheduler.wait(LOOK_MS);
  }
}

/** Notes in the object's storage, which outlive the client. */
function durableNotes({ kv }: DurableObjectStorage): Notes {
  return {
    binding: () => Binding.optional().parse(kv.get(BINDING)),
    bind: (binding) => kv.put(BINDING, binding),
    referenceTo: (work) => kv.get<string>(keyOf(work)),
    refer: (work, reference) => kv.put(keyOf(work), reference),
  };
}

function keyOf(work: string): string {
  return `exec-server:work:${work}`;
}
