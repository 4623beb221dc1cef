/**
 * A subject slot that is an OpenCode server: the server's process, and in front of it the subject protocol on the slot's
 * port, spoken by this process, which is never reset. Every trial of the slot is a session in the same server, so trials
 * of one slot die together.
 *
 * Each start of the server is one activation of every trial that it serves, and is told to the journal at once.
 */
import { mkdir } from "node:fs/promises";
import type { Server } from "node:http";
import { join } from "node:path";
import { Hono } from "hono";
import type { ProcessName } from "../../../src/harnesses/index.ts";
import { admit, answerError, answerNotFound, parseTrialId, Refusal } from "../../../src/link/admission.ts";
import { PeerError } from "../../../src/link/call.ts";
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import { serveRequest } from "../../../src/subject/serve-request.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { toldVersion } from "../../base/install-package.ts";
import { localFetch } from "../process/local-fetch.ts";
import type { ProcessEnd } from "../process/subject-process.ts";
import { CoreApi } from "./core-api.ts";
import { close, listen } from "./http-bridge.ts";
import { IDENTITY_FILE, IdentityFile } from "./identity-file.ts";
import { withLiveDatabase } from "./live-database.ts";
import type { StoredServerSession } from "./look-at-server.ts";
import { relayModelRequest } from "./model-relay.ts";
import { OldApi } from "./old-api.ts";
import { PLUGIN_PATH, pluginText } from "./plugin-file.ts";
import { ServerClient } from "./server-client.ts";
import { configText } from "./server-config.ts";
import { kitEnvironment } from "./server-environment.ts";
import { ServerProcess } from "./server-process.ts";
import { ServerSubject } from "./server-subject.ts";
import type { SessionApi } from "./session-api.ts";
import { SERVER_PACKAGE } from "./version.ts";

const DATABASE = "opencode.db";

/** Largest request bodies, in bytes: as of the subject Worker, and of the controller for a whole conversation. */
const BODY_BYTES_MAX = 64 * 1024;
const MODEL_BODY_BYTES_MAX = 1024 * 1024;

/** A server as an SDK set names it. */
export type RunnableServer = { readonly name: string; readonly binary: string };

type ServerSlotOptions = {
  /** What it begins with. */
  readonly binary: string;
  /** What it begins with, and what it has after an upgrade; absent where nothing is to take over. */
  readonly sets?: { readonly before: RunnableServer; readonly after: RunnableServer } | undefined;
  /** The slot's own; holds the server's home and its project. */
  readonly folder: string;
  /** Of the subject protocol. */
  readonly port: number;
  readonly ledgerUrl: string;
  readonly controllerUrl: string;
  readonly secret: string;
  readonly onOutput: (text: string) => void;
  /** The server ended and nobody here had ended it. */
  readonly onDied: (end: ProcessEnd) => void;
};

type Activation = {
  readonly id: string;
  readonly generation: number;
  readonly isolate: string;
  /** What the binary said of itself. */
  readonly version: string;
};

/** How often a server that ends while it boots is started; each start is told, so that a boot loop shows. */
const STARTS_MAX = 3;

export class ServerSlot {
  readonly #options: ServerSlotOptions;
  readonly #process: ServerProcess;
  readonly #identity: IdentityFile;
  /** How each subject that is a process is spoken to. */
  readonly #apis: Readonly<Record<ProcessName, SessionApi>>;
  /** Opens this slot's way to its model and nothing else: it lies in the server's configuration, as the secret must not. */
  readonly #modelKey = crypto.randomUUID();
  #http: Server | undefined;
  #activation: Activation | undefined;
  /** Whether the next start brings the second set. */
  #upgraded = false;

  constructor(options: ServerSlotOptions) {
    this.#options = options;
    const { binary, folder, onOutput, onDied } = options;
    this.#process = new ServerProcess({ binary, folder, onOutput, onDied });
    this.#identity = new IdentityFile(join(this.#process.dataFolder, IDENTITY_FILE));
    const client = new ServerClient(this.#process);
    this.#apis = {
      "opencode-server": new OldApi(client),
      "opencode-server-shell": new CoreApi(client),
    };
  }

  get pid(): number | null {
    return this.#process.pid;
  }

  /** The next start runs the other set's binary, on the same data. A second time it goes back to the first one's. */
  useNextSet(): { readonly from: string; readonly to: string } {
    const { sets } = this.#options;
    if (sets === undefined) throw new Error("this server has no other SDK set");
    const [from, to] = this.#upgraded ? [sets.after, sets.before] : [sets.before, sets.after];
    this.#upgraded = !this.#upgraded;
    this.#process.useBinary(to.binary);
    return { from: from.name, to: to.name };
  }

  /**
   * Starts the server on what lies in its folder, and the first time the subject protocol in front of it. A server that does
   * not come up under trials is their finding: each failed start is told to them, and after the last one there is none.
   *
   * @throws when it does not come up before any trial.
   */
  async start(): Promise<void> {
    if (this.#http === undefined) await this.#prepare();
    for (let starts = 1; ; starts += 1) {
      try {
        await this.#startOnce();
        return;
      } catch (error) {
        await this.#process.stop();
        const trials = Object.keys(this.#identity.read().trials);
        if (trials.length === 0) throw error;
        await Promise.all(trials.map((trial) => this.#tellFailure(trial, error)));
        if (starts === STARTS_MAX) return;
      }
    }
  }

  async #startOnce(): Promise<void> {
    const { ledgerUrl, secret } = this.#options;
    const version = await toldVersion(this.#process.binary);
    const { generation } = this.#identity.countStart();
    const id = crypto.randomUUID();
    await this.#process.spawn(
      kitEnvironment({
        ledgerUrl,
        secret,
        activation: id,
        generation,
        identityFile: join(this.#process.dataFolder, IDENTITY_FILE),
      }),
    );
    this.#activation = { id, generation, isolate: `process-${this.#process.pid}-${id}`, version };
    // Before the server can have done anything: no attempt may precede its activation.
    await Promise.all(Object.keys(this.#identity.read().trials).map((trial) => this.#announce(trial)));
    await this.#process.ready();
  }

  /** Ends the server with SIGKILL. What it started itself is not touched. */
  kill(): Promise<ProcessEnd> {
    return this.#process.kill();
  }

  /** Asks the server to end. */
  shutDown(): Promise<ProcessEnd> {
    return this.#process.shutDown();
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    if (this.#http !== undefined) await close(this.#http);
    this.#http = undefined;
  }

  /** Where a trial's session lies, for reading it without the server. */
  stored(trial: string): StoredServerSession {
    const kept = this.#identity.trial(trial);
    return {
      database: this.#database,
      session: kept?.session ?? null,
      keepsLog: this.#apiOf(kept?.subject ?? "")?.keepsLog ?? false,
      prompts: kept?.prompts ?? {},
    };
  }

  get #database(): string {
    return join(this.#process.dataFolder, DATABASE);
  }

  async #prepare(): Promise<void> {
    const { folder, port } = this.#options;
    await mkdir(folder, { recursive: true });
    const config = configText(`http://127.0.0.1:${port}/model/v1`, this.#modelKey);
    await this.#process.configure({ "opencode.json": config, [PLUGIN_PATH]: await pluginText() });
    const app = this.#routes();
    this.#http = await listen(port, (request) => app.fetch(request));
  }

  #routes(): Hono {
    const app = new Hono();
    app.onError(answerError("slot-failed"));
    app.notFound(answerNotFound);
    const isModel = (path: string) => path.startsWith("/model/");
    app.use(
      admit({
        secret: (c) => (isModel(c.req.path) ? this.#modelKey : this.#options.secret),
        bodyBytesMax: (c) => (isModel(c.req.path) ? MODEL_BODY_BYTES_MAX : BODY_BYTES_MAX),
      }),
    );
    app.all("/subjects/:subject/trials/:trial/:request", (c) => {
      const { subject, trial } = c.req.param();
      const served = this.#serve(subject, parseTrialId(trial));
      if (served === null) throw new Refusal("subject-unknown", `subject '${subject}' is none of a server's`);
      return serveRequest(c.req.raw, served);
    });
    app.post("/witnesses/:trial", () => {
      throw new Refusal("canary-not-offered", "a process has no alarms, so no canary can vouch for them");
    });
    app.post("/model/v1/chat/completions", (c) => {
      const { controllerUrl, secret } = this.#options;
      const activation = this.#running().id;
      const trialOf = (session: string) => this.#identity.trialOfSession(session);
      return relayModelRequest(c.req.raw, { controllerUrl, secret, activation, trialOf });
    });
    return app;
  }

  #serve(subject: string, trial: string): ServerSubject | null {
    const api = this.#apiOf(subject);
    if (api === undefined) return null;
    return new ServerSubject(subject, trial, {
      identity: this.#identity,
      api,
      activation: () => this.#running(),
      stored: (read) => withLiveDatabase(this.#database, read),
      announce: (name) => this.#announce(name),
    });
  }

  #apiOf(subject: string): SessionApi | undefined {
    return Object.entries(this.#apis).find(([name]) => name === subject)?.[1];
  }

  #running(): Activation {
    if (this.#activation === undefined) throw new Error("no server was started");
    return this.#activation;
  }

  async #announce(trial: string): Promise<void> {
    const { id, generation, isolate, version } = this.#running();
    const { object, trials } = this.#identity.read();
    await this.#append(trial, `activated:${id}`, {
      source: "subject",
      type: "subject.activated",
      activation: id,
      isolate,
      generation,
      cause: "process-start",
      marker: trials[trial]?.marker ?? null,
      object,
      // What an upgrade has to bring another of.
      version: { id: `${SERVER_PACKAGE}@${version}`, tag: "" },
      host: { kind: "server", name: SERVER_PACKAGE, version },
      subjectAt: Date.now(),
      late: false,
    });
  }

  async #tellFailure(trial: string, error: unknown): Promise<void> {
    const { id, generation } = this.#running();
    await this.#append(trial, `failed:${id}`, {
      source: "subject",
      type: "activation.failed",
      activation: id,
      generation,
      cause: "process-start",
      error: (error instanceof Error ? error.message : String(error)).slice(0, 4_000),
      because: null,
    });
  }

  async #append(trial: string, key: string, record: RecordDraft): Promise<void> {
    const { ledgerUrl, secret } = this.#options;
    try {
      await new LedgerLink({ fetch: localFetch, base: ledgerUrl, secret }, trial).append(key, record);
    } catch (error) {
      // A trial of before whose journal is closed has no use for it any more.
      if (!(error instanceof PeerError && error.code === "trial-ended")) throw error;
    }
  }
}
