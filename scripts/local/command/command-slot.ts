/**
 * A subject slot that is a command: the subject protocol on the slot's port, spoken by this process, which is never reset, and
 * behind it the agent's process, of one trial alone. Handing the operation in is starting the agent; after a reset it is started
 * as it was, on the same state.
 *
 * The ledger is offered as an MCP server, and every call of it passes through here: it gets the activation that runs and the
 * action that the trial intends. Whether an agent has ended is what the operating system says of its process; no connection of it
 * is looked at.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { admit, answerError, answerNotFound, parseInput, Refusal } from "../../../src/link/admission.ts";
import { PeerError } from "../../../src/link/call.ts";
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import type { McpTransport } from "../../../src/own/agent-definition.ts";
import { COMMIT_TOOL } from "../../../src/plugin/ledger-tools.ts";
import { type SubjectRequests, serveRequest } from "../../../src/subject/serve-request.ts";
import {
  NOT_FOUND,
  type PrepareRequest,
  type PrepareResponse,
  type SubmitRequest,
  type SubmitResponse,
  type WaitRequest,
  type WaitResponse,
} from "../../../src/trace/protocol/subject-protocol.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import type { TrialSpec } from "../../../src/trace/spec.ts";
import { callOf, ledgerServer } from "../mcp/ledger-server.ts";
import { localFetch } from "../process/local-fetch.ts";
import type { ProcessEnd, SubjectProcess } from "../process/subject-process.ts";
import { close, listen } from "../server/http-bridge.ts";
import { type AgentCommand, type McpServerEntry, startOf } from "./agent-command.ts";
import {
  CALLS_PATH,
  COMMAND_VARIABLE,
  CONFIG_VARIABLE,
  MCP_PATH,
  STATE_VARIABLE,
  URL_VARIABLE,
} from "./agent-environment.ts";
import { AgentProcess } from "./agent-process.ts";
import { keyOf, LedgerCall, offeredTools } from "./offered-tools.ts";
import { StateFolder } from "./state-folder.ts";

const STDIO_SERVER = fileURLToPath(new URL("ledger-stdio.ts", import.meta.url));
const BODY_BYTES_MAX = 64 * 1024;

type CommandSlotOptions = {
  readonly agent: AgentCommand;
  /** The slot's own; holds the agent's state. */
  readonly folder: string;
  /** Of the subject protocol, and of the MCP server. */
  readonly port: number;
  readonly ledgerUrl: string;
  readonly secret: string;
  readonly onOutput: (text: string) => void;
};

/** One life of the agent. */
type Activation = { readonly id: string; readonly generation: number };
type Running = {
  readonly activation: Activation;
  readonly process: AgentProcess;
  /** Resolves when the journal knows of it: nothing that it does is told before. */
  readonly announced: Promise<void>;
  /** Whether somebody here ends it. */
  isMeant: boolean;
};

export class CommandSlot implements SubjectProcess {
  readonly #options: CommandSlotOptions;
  readonly #state: StateFolder;
  /** Opens the MCP server and nothing else: the agent knows it, and must not know the kit's secret. */
  readonly #key = randomBytes(24).toString("hex");
  #http: Server | undefined;
  #spec: TrialSpec | undefined;
  /** Of the agent's next start. */
  #nextId: string = crypto.randomUUID();
  #session = "";
  #operation: string | undefined;
  #running: Running | undefined;

  constructor(options: CommandSlotOptions) {
    this.#options = options;
    this.#state = new StateFolder(join(options.folder, "state"));
  }

  get pid(): number | null {
    return this.#running?.process.isRunning === true ? this.#running.process.pid : null;
  }

  /** The one trial of this slot. */
  expect(spec: TrialSpec): void {
    this.#spec = spec;
  }

  /** The first time there is nothing to start but what speaks for the agent: nothing was handed in yet. */
  async start(): Promise<void> {
    if (this.#http === undefined) {
      mkdirSync(this.#options.folder, { recursive: true });
      const app = this.#routes();
      this.#http = await listen(this.#options.port, (request) => app.fetch(request));
    } else if (this.#operation !== undefined) await this.#startAgent();
  }

  /** Ends the agent with whatever it started. Of one that had ended already, what is left is ended, and its own end is told. */
  async kill(): Promise<ProcessEnd> {
    if (this.#running === undefined) throw new Error("no agent was started");
    this.#running.isMeant = true;
    return this.#running.process.kill();
  }

  /** An agent is lost at once or not at all. */
  shutDown(): Promise<ProcessEnd> {
    return this.kill();
  }

  /** The trial is over: nothing of the agent is to go on. */
  async end(): Promise<void> {
    if (this.#running !== undefined) await this.kill();
  }

  async stop(): Promise<void> {
    await this.end();
    if (this.#http !== undefined) await close(this.#http);
    this.#http = undefined;
  }

  async #prepare({ marker, key }: PrepareRequest): Promise<PrepareResponse> {
    const { agent } = this.#options;
    const { trial, factors } = this.#trial();
    const { identity } = this.#state;
    if (identity.trial(trial) === undefined) await this.#state.make(agent.state);
    identity.keepTrial(trial, { subject: factors.subject, session: trial, key, marker, prompts: {} });
    const { object, generation } = identity.read();
    this.#session = object;
    return { activation: this.#nextId, generation: generation + 1, session: object };
  }

  async #submit({ operationId }: SubmitRequest): Promise<SubmitResponse> {
    const accepted = this.#operation === undefined;
    if (accepted) {
      this.#operation = operationId;
      const { process } = await this.#startAgent();
      await this.#append(`started:${process.pid}`, {
        source: "cli",
        type: "process.started",
        pid: process.pid,
        because: null,
      });
    }
    return { operationId, session: this.#session, accepted, activation: this.#what().activation.id };
  }

  /** Waits for the agent to end by itself, in whichever life. */
  async #wait({ operationId, timeoutMs }: WaitRequest): Promise<WaitResponse> {
    const session = this.#session;
    const unanswered = (reason: string): WaitResponse => ({
      settled: true,
      result: { operationId, session, status: "unanswered", reason, text: null },
    });
    if (operationId !== this.#operation)
      return unanswered(`${NOT_FOUND}: the agent was never started for this operation`);
    const running = this.#what();
    const { process } = running;
    const end = await Promise.race([process.ended, delay(timeoutMs, null)]);
    // One that was killed has not ended by itself.
    if (end === null || running.isMeant) return { settled: false, waitedMs: timeoutMs };
    const answer = await process.answer();
    if (end.exitCode !== 0) return unanswered(endedInWords(end, process.lastWords));
    return { settled: true, result: { operationId, session, status: "done", reason: null, text: answer } };
  }

  /** What the controller may ask of it. An agent shows neither its session nor its state. */
  #subject(): SubjectRequests {
    const session = this.#session;
    return {
      prepare: (request) => this.#prepare(request),
      submit: (request) => this.#submit(request),
      wait: (request) => this.#wait(request),
      log: async () => ({ offered: false, session, items: [], complete: true }),
      transcript: async () => ({ session, messages: [], pending: [] }),
      schema: async () => ({ tables: [], indexes: [], error: null }),
      // A process has no alarm, and what else it owes lies in its own state.
      jobs: async () => ({ jobs: [], claims: [], alarmAt: null, error: null }),
      abort: async () => false,
      reset: () => new Refusal("reset-not-offered", "a command is no object: it can be killed").toResponse(),
    };
  }

  #routes(): Hono {
    const mcp = createMcpHandler(() => ledgerServer(offeredTools((made) => this.#perform(made))), {
      maxRequestBodySize: BODY_BYTES_MAX,
    });
    const app = new Hono();
    app.onError(answerError("slot-failed"));
    app.notFound(answerNotFound);
    // Before the check of the secret: MCP clients are given an address and know of no header.
    app.all(`${MCP_PATH}/${this.#key}`, (c) => mcp.fetch(c.req.raw));
    app.use(
      admit({
        secret: (c) => (c.req.path === CALLS_PATH ? this.#key : this.#options.secret),
        bodyBytesMax: () => BODY_BYTES_MAX,
      }),
    );
    app.post(CALLS_PATH, async (c) => {
      const made = parseInput(LedgerCall, await c.req.json(), "body");
      return c.json({ text: await this.#perform(made) });
    });
    app.all("/subjects/:subject/trials/:trial/:request", (c) => {
      const { trial } = c.req.param();
      if (trial !== this.#spec?.trial)
        throw new Refusal("subject-unknown", `trial '${trial}' is not the one of this slot`);
      return serveRequest(c.req.raw, this.#subject());
    });
    app.post("/witnesses/:trial", () => {
      throw new Refusal("canary-not-offered", "a process has no alarms, so no canary can vouch for them");
    });
    return app;
  }

  /** One call of the agent's, as one attempt or one look-up of whoever runs when it comes. */
  async #perform(made: LedgerCall): Promise<string> {
    const { activation, announced } = this.#what();
    await announced;
    const [action] = this.#trial().intended.map((intended) => intended.action);
    const caller = {
      action: action ?? "",
      key: keyOf(made),
      activation: activation.id,
      session: this.#session,
    };
    const { call, message } = callOf(made.meta);
    if (made.tool !== COMMIT_TOOL) return JSON.stringify(await this.#ledger().lookUp({ ...caller, call }));
    const payload = made.input.text ?? "";
    const { generation } = activation;
    return JSON.stringify(await this.#ledger().attempt({ ...caller, payload, generation, call, message }));
  }

  async #startAgent(): Promise<Running> {
    const { agent, port, onOutput } = this.#options;
    const { path, config, identity } = this.#state;
    await this.#append(`state:${this.#nextId}`, {
      source: "cli",
      type: "state.read",
      ...this.#state.read(),
      because: null,
    });
    const url = `http://127.0.0.1:${port}${MCP_PATH}/${this.#key}`;
    const args = [STDIO_SERVER, url];
    const offered: Readonly<Record<McpTransport, { entry: McpServerEntry; env: NodeJS.ProcessEnv }>> = {
      http: { entry: { type: "http", url }, env: { [URL_VARIABLE]: url } },
      stdio: {
        entry: { command: process.execPath, args },
        env: { [COMMAND_VARIABLE]: JSON.stringify([process.execPath, ...args]) },
      },
    };
    const { entry, env } = offered[agent.mcp];
    // As the agent left it: what it removed is gone for the kit, too.
    const marker = identity.trial(this.#trial().trial)?.marker ?? null;
    const { object, generation } = identity.countStart();
    this.#state.configure(entry);
    const activation = { id: this.#nextId, generation };
    this.#nextId = crypto.randomUUID();
    const started = await AgentProcess.start({
      ...startOf(agent, { state: path, config }),
      folder: path,
      env: {
        ...process.env,
        ...env,
        [CONFIG_VARIABLE]: config,
        [STATE_VARIABLE]: path,
      },
      onOutput,
    });
    const announced = this.#append(`activated:${activation.id}`, {
      source: "subject",
      type: "subject.activated",
      activation: activation.id,
      isolate: `process-${started.pid}-${activation.id}`,
      generation,
      cause: "process-start",
      marker,
      object,
      version: { id: "", tag: "" },
      host: { kind: "none", name: "command", version: "unknown" },
      subjectAt: Date.now(),
      late: false,
    });
    const running: Running = { activation, process: started, announced, isMeant: false };
    this.#running = running;
    this.#tellEnd(running).catch((error: unknown) => onOutput(`the agent's end was not told: ${error}\n`));
    await announced;
    return running;
  }

  async #tellEnd(running: Running): Promise<void> {
    const { activation, process, announced } = running;
    const end = await process.ended;
    if (running.isMeant) return;
    await announced;
    await this.#append(`ended:${activation.id}`, {
      source: "cli",
      type: "agent.ended",
      activation: activation.id,
      ...end,
      because: null,
    });
  }

  #what(): Running {
    if (this.#running === undefined) throw new Error("no agent was started");
    return this.#running;
  }

  #trial(): TrialSpec {
    if (this.#spec === undefined) throw new Error("the slot was not told of its trial");
    return this.#spec;
  }

  #ledger(): LedgerLink {
    const { ledgerUrl, secret } = this.#options;
    return new LedgerLink({ fetch: localFetch, base: ledgerUrl, secret }, this.#trial().trial);
  }

  async #append(key: string, record: RecordDraft): Promise<void> {
    try {
      await this.#ledger().append(key, record);
    } catch (error) {
      // The trial has ended and has no use for it any more.
      if (!(error instanceof PeerError && error.code === "trial-ended")) throw error;
    }
  }
}

function endedInWords({ exitCode, signal }: ProcessEnd, lastWords: string | null): string {
  const how = signal === null ? `exit code ${exitCode}` : signal;
  return `the agent ended with ${how}${lastWords === null ? "" : `; its last words: ${lastWords}`}`;
}
