/**
 * The platform rehearsed on this machine: one `wrangler dev` for each Worker, with the script that would be deployed, on
 * 127.0.0.1. The processes stay when the command ends. A new version is other code in a new process on the same storage, at once.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { localFetch } from "../local/process/local-fetch.ts";
import { type ProcessWitness, putOff } from "../local/process/process-resets.ts";
import { secretPath } from "./deploy-state.ts";
import { endAll, endGroup, enteredProcess, processesOf, startStaying } from "./deployed-processes.ts";
import { type DeployedRole, type Deployment, ROLES, workerName } from "./deployment.ts";
import type { CodeUpdate, PlacedWorker, Platform, Put } from "./platform.ts";
import { WRANGLER_PROGRAM, wranglerEnvironment } from "./wrangler-program.ts";

/** How long a Worker may take until it answers, in ms, on two busy cores. */
const READY_MS = 90_000;
const LOOK_AGAIN_MS = 50;

/** An answer of the Worker itself: it is up, whether it knows the route or not. */
const WORKER_ANSWERS = [200, 404];

export class Rehearsal implements Platform {
  readonly kind = "rehearsal";
  readonly #deployment: Deployment;
  /** Two for each role: its own and its inspector's. */
  readonly #ports: readonly number[];
  readonly #secret: string;

  constructor(deployment: Deployment, ports: readonly number[], secret: string) {
    this.#deployment = deployment;
    this.#ports = ports;
    this.#secret = secret;
  }

  async verify(): Promise<void> {
    // It needs no account.
  }

  async putOff(update: CodeUpdate, signal = new AbortController().signal): Promise<void> {
    if (update.mode === "deferred") await putOff(update.maxS, signal);
  }

  async put(worker: PlacedWorker, update: CodeUpdate, witness?: ProcessWitness): Promise<Put> {
    const { role } = worker;
    const before = enteredProcess(this.#deployment.folder, role);
    // The platform gives the old code no time either.
    if (before !== null) await endGroup(this.#deployment.folder, before);
    const end = before === null ? null : { pid: before.pid, exitCode: null, signal: "SIGKILL" };
    if (end !== null) await witness?.ended(end);
    // What a killed process had registered would keep the next one from registering for up to 90 s.
    rmSync(this.#registered(worker.name), { force: true });
    const nextPid = this.#start(worker);
    await this.#answers(worker, nextPid);
    if (end !== null) await witness?.started(nextPid);
    return {
      version: null,
      url: this.#urlOf(role),
      mechanism: `new code (${worker.build}) in a new process of wrangler dev on the same storage${
        update.mode === "deferred" ? `, put off for ${update.maxS} s` : ""
      }`,
      process: end === null ? null : { ...end, nextPid },
    };
  }

  async remove(): Promise<string[]> {
    const { folder } = this.#deployment;
    const running = ROLES.filter((role) => enteredProcess(folder, role) !== null);
    await endAll(folder);
    return running.map((role) => workerName(this.#deployment, role));
  }

  pidOf(role: DeployedRole): number | null {
    return enteredProcess(this.#deployment.folder, role)?.pid ?? null;
  }

  #start({ role, config, name }: PlacedWorker): number {
    const { folder } = this.#deployment;
    const index = ROLES.indexOf(role) * 2;
    const [port, inspectorPort] = [this.#ports[index], this.#ports[index + 1]].map(String);
    for (const made of ["logs", "tmp", "registry", "storage"])
      mkdirSync(join(folder, made), { recursive: true, mode: 0o700 });
    const [command, ...program] = WRANGLER_PROGRAM;
    return startStaying(
      folder,
      {
        role,
        command,
        args: [
          ...program,
          ...["dev", "index.js", "--no-bundle", "--config", config, "--local"],
          ...["--ip", "127.0.0.1", "--port", port ?? "", "--inspector-port", inspectorPort ?? ""],
          ...["--persist-to", join(folder, "storage", name), "--env-file", secretPath(this.#deployment)],
          "--show-interactive-dev-session=false",
        ],
        cwd: dirname(config),
        log: join(folder, "logs", `${role}.log`),
      },
      {
        ...withoutCloudflare(process.env),
        ...wranglerEnvironment(folder),
        WRANGLER_REGISTRY_PATH: join(folder, "registry"),
        XDG_CONFIG_HOME: join(folder, "config"),
        WRANGLER_LOG: "warn",
        // Nothing here asks the network for anything.
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    );
  }

  /** Resolves when the Worker answers at its own address and others can find it. @throws when it ended or takes too long. */
  async #answers({ role, name }: PlacedWorker, pid: number): Promise<void> {
    const deadline = Date.now() + READY_MS;
    const url = `${this.#urlOf(role)}/health`;
    const headers = { authorization: `Bearer ${this.#secret}` };
    while (Date.now() < deadline) {
      if (!processesOf(this.#deployment.folder).some((process) => process.pid === pid))
        throw new Error(`wrangler dev of the ${role} Worker ended by itself:\n${this.#lastOutput(role)}`);
      const answer = await localFetch(url, { headers, signal: AbortSignal.timeout(5_000) }).catch(() => null);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer !== null && WORKER_ANSWERS.includes(answer.status) && existsSync(this.#registered(name)))
        return;
      await delay(LOOK_AGAIN_MS);
    }
    throw new Error(
      `the ${role} Worker did not answer within ${READY_MS / 1_000} s:\n${this.#lastOutput(role)}`,
    );
  }

  #urlOf(role: DeployedRole): string {
    return `http://127.0.0.1:${this.#ports[ROLES.indexOf(role) * 2]}`;
  }

  #registered(name: string): string {
    return join(this.#deployment.folder, "registry", name);
  }

  #lastOutput(role: DeployedRole): string {
    try {
      return readFileSync(join(this.#deployment.folder, "logs", `${role}.log`), "utf8").slice(-2_000);
    } catch {
      return "no output";
    }
  }
}

/** A rehearsal has no account, even where the user has one. */
function withoutCloudflare(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(CLOUDFLARE|CF|WRANGLER|MINIFLARE)_/.test(name)),
  );
}
