/**
 * Stands for the platform's containers: one for each trial that asks, as a process group in a folder. It runs in the process
 * that carries out the trials, is never reset, and writes down each executor that starts or ends, because it is who sees it.
 *
 * It is also the way out of a container: what an executor asks of the model or the ledger passes here and is given the names
 * under which it acts, so that no secret of the kit lies inside.
 */
import type { IncomingMessage, Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { type Context, Hono } from "hono";
import {
  admit,
  answerError,
  answerNotFound,
  parseTrialId,
  Refusal,
  readBody,
} from "../../../src/link/admission.ts";
import { ownerKey } from "../../../src/link/owner-key.ts";
import {
  ACTIVATION_HEADER,
  DIALECT_PATHS,
  EXECUTOR_HEADER,
  SESSION_HEADER,
} from "../../../src/model/index.ts";
import { EXECUTOR_SYNC_MS } from "../../../src/trace/heartbeats.ts";
import { TrialId } from "../../../src/trace/ids.ts";
import {
  type Cleared,
  type ContainerState,
  DRIVER_GENERATION_HEADER,
  DRIVER_HEADER,
  type FileMarkers,
  type OutsideIdentity,
  type SnapshotResponse,
  StartRequest,
} from "../../../src/trace/protocol/container-protocol.ts";
import { localFetch } from "../process/local-fetch.ts";
import { close, listen } from "../server/http-bridge.ts";
import { Container, type ContainerTerms } from "./container.ts";
import type { ExecutorWitness } from "./executor-records.ts";
import type { ReachedExecutor } from "./executor-resets.ts";

/** Largest request body, in bytes: of a whole conversation. */
const BODY_BYTES_MAX = 1024 * 1024;

type SupervisorOptions = {
  /** Where the containers' files lie. */
  readonly folder: string;
  readonly port: number;
  readonly ledgerUrl: string;
  readonly controllerUrl: string;
  readonly secret: string;
  /** Binaries of the agent CLIs that containers may be asked for, by the adapter's name. */
  readonly clis: ReadonlyMap<string, string>;
  readonly witness: ExecutorWitness;
  readonly onOutput: (text: string) => void;
};

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #containers = new Map<string, Container>();
  readonly #terms = new Map<string, ContainerTerms>();
  #http: Server | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const app = this.#routes();
    this.#http = await listen(this.#options.port, (request) => app.fetch(request));
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Ends every container. */
  async stop(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    if (http !== undefined) await close(http);
    await Promise.all([...this.#containers.values()].map((container) => container.clearAway()));
  }

  /** Says what a trial wants of its container, before its object may ask for it. */
  expect(trial: string, terms: ContainerTerms): void {
    this.#terms.set(trial, terms);
  }

  /** The executor of a trial, for a reset of it. */
  reach(trial: string): ReachedExecutor {
    const container = this.#container(trial);
    return {
      async end() {
        if (!container.state.running) throw new Error("no executor runs in the container");
        await container.end("reset");
      },
      refuseStarts: () => container.refuseStarts(),
      pause: () => container.pause(),
      stoppedByHarness: () => container.stoppedByHarness(),
    };
  }

  /** Ends what runs for a trial that is over, and removes its files. Its object may ask for a container still: none starts. */
  async trialOver(trial: string): Promise<void> {
    await this.#containers.get(trial)?.clearAway();
  }

  /** Process ids of the daemons that run. */
  pids(): number[] {
    return [...this.#containers.values()].flatMap(({ pids }) => pids);
  }

  #routes(): Hono {
    const app = new Hono();
    const { secret } = this.#options;
    app.onError(answerError("subject-failed"));
    app.notFound(answerNotFound);
    app.use(
      "/containers/*",
      admit({ secret: () => secret, bodyBytesMax: () => BODY_BYTES_MAX }),
      async (c, next) => {
        this.#noteDriver(this.#at(c), (name) => c.req.header(name));
        await next();
      },
    );
    // The kit's own secret opens nothing here: it is the owner who has to ask.
    app.use(
      "/owned/:trial/*",
      admit({
        secret: (c) => ownerKey(secret, c.req.param("trial") ?? ""),
        bodyBytesMax: () => BODY_BYTES_MAX,
      }),
    );
    app.use(
      "/outside/:trial/*",
      admit({
        secret: (c) => this.#containers.get(c.req.param("trial") ?? "")?.keyLike(keyOf(c)),
        bodyBytesMax: () => BODY_BYTES_MAX,
      }),
    );
    app.get("/containers/:trial", (c) => c.json(this.#at(c).state satisfies ContainerState));
    app.get("/containers/:trial/end", async (c) => {
      await this.#at(c).ended();
      return c.json(this.#at(c).state satisfies ContainerState);
    });
    app.post("/containers/:trial/start", async (c) => {
      const container = this.#at(c);
      await container.start(await readBody(c, StartRequest), `http://127.0.0.1:${this.#options.port}`);
      return c.json(container.state satisfies ContainerState);
    });
    app.post("/containers/:trial/destroy", async (c) => {
      const container = this.#at(c);
      await container.end("destroyed");
      return c.json(container.state satisfies ContainerState);
    });
    app.post("/containers/:trial/snapshots", async (c) =>
      c.json((await this.#at(c).snapshot()) satisfies SnapshotResponse),
    );
    app.get("/containers/:trial/markers", async (c) =>
      c.json((await this.#at(c).markers()) satisfies FileMarkers),
    );
    app.post("/owned/:trial/delete-executor", async (c) => {
      const container = this.#at(c);
      const cleared = container.state.running ? 1 : 0;
      await container.end("deleted");
      return c.json({ cleared } satisfies Cleared);
    });
    app.post("/owned/:trial/clear-snapshots", async (c) =>
      c.json({ cleared: await this.#at(c).clearSnapshots() } satisfies Cleared),
    );
    app.all("/containers/:trial/port/*", (c) => this.#passIn(c));
    app.get("/outside/:trial/identity", (c) =>
      c.json(this.#at(c).outside(keyOf(c)).identity satisfies OutsideIdentity),
    );
    app.post("/outside/:trial/model", (c) => this.#askModel(c, "chat/completions"));
    for (const path of DIALECT_PATHS)
      app.post(`/outside/:trial/model/v1/${path}`, (c) => this.#askModel(c, path));
    for (const request of ["attempts", "look-ups"])
      app.post(`/outside/:trial/trials/:same/${request}`, (c) =>
        this.#passOut(
          c,
          `${this.#options.ledgerUrl}/trials/${parseTrialId(c.req.param("trial"))}/${request}`,
          {},
        ),
      );
    return app;
  }

  /** Who drives the container is whoever spoke to it last. */
  #noteDriver(container: Container, header: (name: string) => unknown): void {
    const activation = header(DRIVER_HEADER);
    const generation = Number(header(DRIVER_GENERATION_HEADER));
    if (typeof activation === "string" && Number.isInteger(generation) && generation > 0)
      container.drivenBy({ activation, generation });
  }

  #at(c: Context): Container {
    // The wildcard of a middleware names no parameter.
    return this.#container(parseTrialId(c.req.param("trial") ?? c.req.path.split("/")[2]));
  }

  #container(trial: string): Container {
    const known = this.#containers.get(trial);
    if (known !== undefined) return known;
    const { folder, clis, witness, onOutput } = this.#options;
    const terms = this.#terms.get(trial) ?? {
      workspace: "snapshot",
      supervision: "kills",
      syncMs: EXECUTOR_SYNC_MS,
    };
    const container = new Container({ trial, folder: join(folder, trial), clis, terms, witness, onOutput });
    this.#containers.set(trial, container);
    return container;
  }

  async #passIn(c: Context): Promise<Response> {
    const port = this.#at(c).port;
    if (port === null) throw new Refusal("object-lost", "nothing listens in the container");
    const { pathname, search } = new URL(c.req.url);
    const url = `http://127.0.0.1:${port}/${pathname.split("/").slice(4).join("/")}${search}`;
    return plain(await localFetch(url, { method: c.req.method, signal: c.req.raw.signal }));
  }

  #askModel(c: Context, path: string): Promise<Response> {
    const { identity, session } = this.#at(c).outside(keyOf(c));
    const trial = parseTrialId(c.req.param("trial"));
    return this.#passOut(c, `${this.#options.controllerUrl}/model/${trial}/v1/${path}`, {
      [ACTIVATION_HEADER]: identity.activation,
      [EXECUTOR_HEADER]: identity.executor,
      [SESSION_HEADER]: session,
    });
  }

  async #passOut(c: Context, url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const body = await c.req.text();
    const { signal } = c.req.raw;
    const answer = localFetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#options.secret}`,
        "content-type": "application/json",
        ...headers,
      },
      body,
      signal,
    });
    // An executor that is killed does not wait for its answer.
    return plain(
      await answer.catch((error: unknown) => {
        throw signal.aborted ? new Refusal("caller-gone", "the executor did not wait for the answer") : error;
      }),
    );
  }

  /** A WebSocket to the daemon, passed on as it is. */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const [, containers, trial, part, ...rest] = (request.url ?? "").split("/");
    const isOurs =
      request.headers.authorization === `Bearer ${this.#options.secret}` &&
      containers === "containers" &&
      part === "port";
    const { success, data } = TrialId.safeParse(trial);
    const container = isOurs && success ? this.#container(data) : undefined;
    const port = container?.port ?? null;
    socket.on("error", () => socket.destroy());
    if (container === undefined || port === null) {
      socket.end(
        `HTTP/1.1 ${container === undefined ? "401 Unauthorized" : "503 Service Unavailable"}\r\n\r\n`,
      );
      return;
    }
    this.#noteDriver(container, (name) => request.headers[name]);
    const daemon = connect(port, "127.0.0.1", () => {
      const lines = Object.entries(request.headers)
        .filter(([name]) => name !== "authorization")
        .map(([name, value]) => `${name}: ${value}`);
      daemon.write([`GET /${rest.join("/")} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
      daemon.write(head);
      daemon.pipe(socket).pipe(daemon);
    });
    daemon.on("error", () => socket.destroy());
    daemon.on("close", () => socket.destroy());
    socket.on("close", () => daemon.destroy());
  }
}

/** The key that a request from inside presents. */
function keyOf(c: Context): string | undefined {
  return c.req.header("authorization")?.replace(/^Bearer /, "");
}

/** What `fetch` has undone already (lengths, encodings) must not be said again. */
function plain(answer: Response): Response {
  const type = answer.headers.get("content-type") ?? "application/json";
  return new Response(answer.body, { status: answer.status, headers: { "content-type": type } });
}
