/**
 * Cloudflare's network, through the commands of wrangler that a user would give. What wrangler did is read from the file
 * that it writes for programs, never from its text for people.
 */
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../base/user-error.ts";
import { secretPath } from "./deploy-state.ts";
import { type DeployedRole, type Deployment, workerName, workflowName } from "./deployment.ts";
import type { CodeUpdate, PlacedWorker, Platform, Put } from "./platform.ts";
import { runWrangler, type WranglerAnswer, WranglerError } from "./wrangler.ts";

/** How long a new address may take until it answers, in ms. */
const READY_MS = 120_000;
const LOOK_AGAIN_MS = 1_000;

/** What wrangler says of a Worker or a Workflow that is not there. */
const NOT_THERE = /\b(?:10007|10090|10200)\b|does not exist|not[ _]found/i;

export class Network implements Platform {
  readonly kind = "network";
  readonly #deployment: Deployment;
  readonly #secret: string;

  constructor(deployment: Deployment, secret: string) {
    this.#deployment = deployment;
    this.#secret = secret;
  }

  async verify(): Promise<void> {
    const { code, stdout } = await this.#wrangler(["whoami", "--json"]);
    if (code === 0) return;
    const why = stdout.includes('"loggedIn":false')
      ? "wrangler is not logged in"
      : "wrangler cannot tell who you are";
    throw new UserError(
      `${why}: set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID, or rehearse on this machine with --rehearse`,
    );
  }

  async putOff(): Promise<void> {
    // The platform does that.
  }

  async put(worker: PlacedWorker, update: CodeUpdate): Promise<Put> {
    const mode = update.mode === "immediate" ? "immediate" : `deferred ${update.maxS}s`;
    const answer = await this.#wrangler([
      ...["deploy", "--config", worker.config, "--no-bundle"],
      ...["--secrets-file", secretPath(this.#deployment)],
      ...["--durable-objects-code-update-mode", mode],
      ...["--tag", worker.build, "--message", `recovery kit, ${this.#deployment.prefix}`],
    ]);
    if (answer.code !== 0 || answer.deploy === null)
      throw new WranglerError(`deploy of ${worker.name}`, answer);
    const { version_id: version, targets } = answer.deploy;
    const url = worker.role === "controller" ? addressIn(targets ?? []) : null;
    if (worker.role === "controller" && url === null)
      throw new WranglerError(`deploy of ${worker.name} names no address`, answer);
    if (url !== null) await this.#answers(url);
    return {
      version,
      url,
      process: null,
      mechanism: `wrangler deploy (${worker.build}), code update ${mode}`,
    };
  }

  async remove(roles: readonly DeployedRole[]): Promise<string[]> {
    const removed: string[] = [];
    const failures: WranglerError[] = [];
    const attempt = async (what: string, args: readonly string[]) => {
      const answer = await this.#wrangler(args);
      if (answer.code === 0) removed.push(what);
      else if (!NOT_THERE.test(textOf(answer))) failures.push(new WranglerError(`delete of ${what}`, answer));
    };
    // Its instances go on without their Worker's name, so it goes first.
    const workflow = workflowName(this.#deployment);
    await attempt(workflow, ["workflows", "delete", workflow]);
    for (const role of roles) {
      const name = workerName(this.#deployment, role);
      await attempt(name, ["delete", name, "--force"]);
    }
    const [failure] = failures;
    if (failure !== undefined) throw failure;
    return removed;
  }

  pidOf(): undefined {
    return undefined;
  }

  #wrangler(args: readonly string[]): Promise<WranglerAnswer> {
    return runWrangler(args);
  }

  /** A new address is known everywhere only after a while. */
  async #answers(url: string): Promise<void> {
    const deadline = Date.now() + READY_MS;
    const headers = { authorization: `Bearer ${this.#secret}` };
    for (;;) {
      const answer = await fetch(`${url}/health`, { headers }).catch(() => null);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 200) return;
      if (Date.now() > deadline)
        throw new UserError(
          `the controller at ${url} does not answer (${answer?.status ?? "no connection"}); ` +
            `try again, or remove it: npm run deploy -- down --prefix ${this.#deployment.prefix}`,
        );
      await delay(LOOK_AGAIN_MS);
    }
  }
}

function addressIn(targets: readonly string[]): string | null {
  const found = targets.find((target) => target.startsWith("https://"));
  return found === undefined ? null : found.replace(/\/$/, "");
}

function textOf({ failure, stdout, stderr }: WranglerAnswer): string {
  return [failure ?? "", stdout, stderr].join("\n");
}
