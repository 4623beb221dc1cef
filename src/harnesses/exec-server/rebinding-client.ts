/**
 * A client that runs commands in an executor and outlives it: when the executor or the connection is gone it opens the next
 * one, and hands out ids for its work that it can tell from those of before.
 *
 * - **One permit for reopening.** Whoever finds no connection waits for the same opening, so that two callers get one executor.
 * - **Ids carry the generation** (`g2:1`): the generation rises whenever the server does not know the session any more, and an
 *   id of another generation is refused. Without generations (`bare`) the same number names other work after a loss.
 * - **What it has to remember** goes into its notes: durable ones outlive the client itself, and the session is resumed.
 *
 * Leaves to others: where executors come from (`ExecutorSource`), where notes are kept.
 */
import { z } from "zod";
import { ConnectionLost, RpcConnection, RpcError } from "./json-rpc.ts";

/** Where a client's executors come from. */
export type ExecutorSource = {
  /** Whether one runs, so that asking for a connection starts none. */
  isRunning(): boolean;
  /** Id of the one that runs, where that is known. */
  executor(): string | null;
  start(): void | Promise<void>;
  /** A connection to the one that runs. @throws where there is none, or it does not listen in time. */
  connect(): Promise<WebSocket>;
};

/** What the client knows of the session that it has with its executor. */
export const Binding = z.strictObject({
  generation: z.number().int().min(1),
  /** The server's name for it. */
  session: z.string(),
  /** Null where the source does not know it. */
  executor: z.string().nullable(),
  /** How many pieces of work were begun in it. */
  begun: z.number().int().min(0),
});
export type Binding = z.infer<typeof Binding>;

export type Notes = {
  binding(): Binding | undefined;
  bind(binding: Binding): void;
  /** The id that was handed out for a piece of work. */
  referenceTo(work: string): string | undefined;
  refer(work: string, reference: string): void;
};

/** Notes that are there as long as whoever holds them. */
export function passingNotes(): Notes {
  let bound: Binding | undefined;
  const references = new Map<string, string>();
  return {
    binding: () => bound,
    bind(binding) {
      bound = binding;
    },
    referenceTo: (work) => references.get(work),
    refer(work, reference) {
      references.set(work, reference);
    },
  };
}

export type IdForm = "generation" | "bare";

/** An id that names nothing here, or nothing any more. */
export class UnknownReference extends Error {
  override readonly name = "UnknownReference";
}

/** What the model is told of work whose executor went away. */
export const OUTCOME_UNKNOWN =
  "The command was interrupted, because its executor is gone. It may or may not have taken effect.";

/** How often work that goes on is looked at, in ms. */
const LOOK_MS = 250;
const OUTPUT_BYTES_MAX = 64 * 1_024;
/** Prints the name of the work, so that its output tells it from all other work, and becomes the command. */
const NAMED = 'printf "%s\\n" "$1"; shift; exec "$@"';

const Initialized = z.object({ sessionId: z.string(), environmentInfo: z.object({ cwd: z.string() }) });
const Output = z.object({
  chunks: z.array(z.object({ chunk: z.string() })),
  exitCode: z.number().nullable(),
  closed: z.boolean(),
});
type Output = z.infer<typeof Output>;

/** A connection that was introduced, and the directory in which its server works, as a URI. */
type Bound = { readonly rpc: RpcConnection; readonly cwd: string };

export class RebindingClient {
  readonly #source: ExecutorSource;
  readonly #notes: Notes;
  readonly #form: IdForm;
  #bound: Bound | undefined;
  #opening: Promise<Bound> | undefined;

  constructor(source: ExecutorSource, notes: Notes, form: IdForm) {
    this.#source = source;
    this.#notes = notes;
    this.#form = form;
  }

  /** The executor of the newest session, whether or not it is there still. */
  get executor(): string | null {
    return this.#notes.binding()?.executor ?? null;
  }

  /** Begins a piece of work, in a new executor where there is none. Resolves with an id for it. */
  async begin(work: string, command: readonly string[]): Promise<string> {
    const { rpc, cwd } = await this.#open();
    const binding = this.#binding();
    const processId = String(binding.begun + 1);
    this.#notes.bind({ ...binding, begun: binding.begun + 1 });
    const reference = this.#form === "bare" ? processId : `g${binding.generation}:${processId}`;
    // Before it is begun: whoever comes back to it must not begin it again.
    this.#notes.refer(work, reference);
    await rpc.ask(
      "process/start",
      {
        processId,
        argv: ["/bin/sh", "-c", NAMED, "sh", work, ...command],
        cwd,
        env: {},
        // It is given what the executor's environment has, keys included.
        envPolicy: { inherit: "all", ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] },
        tty: false,
        pipeStdin: false,
        arg0: null,
      },
      z.object({ processId: z.literal(processId) }),
    );
    return reference;
  }

  /**
   * The name of the work that an id names now. Starts no executor.
   *
   * @throws UnknownReference when it names none.
   */
  async workAt(reference: string): Promise<string> {
    const { rpc, processId } = await this.#resolve(reference);
    for (;;) {
      const output = await this.#read(rpc, processId);
      const [name, ...more] = textOf(output).split("\n");
      if (name !== undefined && more.length > 0) return name;
      if (output.closed) throw new UnknownReference(`what ${reference} names has no name`);
    }
  }

  /**
   * Runs a command and resolves with what it printed. Work that was begun before, by this client or by one that left its notes,
   * is waited for and not begun again.
   *
   * @throws when it failed, and when nobody can say what became of it.
   */
  async run(work: string, command: readonly string[]): Promise<string> {
    try {
      const reference = this.#notes.referenceTo(work) ?? (await this.begin(work, command));
      const { rpc, processId } = await this.#resolve(reference);
      for (;;) {
        const output = await this.#read(rpc, processId);
        if (!output.closed) continue;
        const [, ...printed] = textOf(output).split("\n");
        const text = printed.join("\n").trim();
        if (output.exitCode === 0) return text;
        throw new Error(text === "" ? `the command ended with ${output.exitCode}` : text);
      }
    } catch (error) {
      if (error instanceof ConnectionLost || error instanceof UnknownReference)
        throw new Error(OUTCOME_UNKNOWN, { cause: error });
      throw error;
    }
  }

  async #resolve(reference: string): Promise<{ readonly rpc: RpcConnection; readonly processId: string }> {
    if (this.#bound?.rpc.isOpen !== true && !this.#source.isRunning())
      throw new UnknownReference(`${reference}: its executor is gone`);
    const { rpc } = await this.#open();
    if (this.#form === "bare") return { rpc, processId: reference };
    const { generation } = this.#binding();
    const [, of, processId] = /^g(\d+):(\d+)$/.exec(reference) ?? [];
    if (processId === undefined || Number(of) !== generation)
      throw new UnknownReference(`${reference} is not of generation ${generation}`);
    return { rpc, processId };
  }

  async #read(rpc: RpcConnection, processId: string): Promise<Output> {
    // The whole of it each time: from the first line on there is something to show, so that the server waits for nothing.
    const asked = { processId, afterSeq: null, maxBytes: OUTPUT_BYTES_MAX, waitMs: 0 };
    try {
      const output = await rpc.ask("process/read", asked, Output);
      if (!output.closed) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      return output;
    } catch (error) {
      throw error instanceof RpcError ? new UnknownReference(error.message) : error;
    }
  }

  #open(): Promise<Bound> {
    if (this.#bound?.rpc.isOpen === true) return Promise.resolve(this.#bound);
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #reopen(): Promise<Bound> {
    const before = this.#notes.binding();
    if (!this.#source.isRunning()) await this.#source.start();
    const rpc = new RpcConnection(await this.#source.connect());
    const { sessionId, environmentInfo } = await introduce(rpc, before?.session);
    if (sessionId !== before?.session)
      this.#notes.bind({
        generation: (before?.generation ?? 0) + 1,
        session: sessionId,
        executor: this.#source.executor(),
        begun: 0,
      });
    this.#bound = { rpc, cwd: environmentInfo.cwd };
    return this.#bound;
  }

  #binding(): Binding {
    const binding = this.#notes.binding();
    if (binding === undefined) throw new Error("there is no session with an executor");
    return binding;
  }
}

/** Goes on with a session, and begins one where the server does not know it. */
async function introduce(
  rpc: RpcConnection,
  session: string | undefined,
): Promise<z.infer<typeof Initialized>> {
  const initialize = (more: object) => rpc.ask("initialize", { clientName: "kit", ...more }, Initialized);
  const resumed =
    session === undefined
      ? null
      : await initialize({ resumeSessionId: session }).catch((error: unknown) => {
          if (error instanceof RpcError) return null;
          throw error;
        });
  const initialized = resumed ?? (await initialize({}));
  rpc.tell("initialized");
  return initialized;
}

/** What was printed, from the first line on. */
function textOf({ chunks }: Output): string {
  const bytes = chunks.map(({ chunk }) => atob(chunk)).join("");
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
