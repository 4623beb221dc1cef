/**
 * What is known of a deployment between two commands. It is written before each step, so that whatever is left of a command
 * that was killed can be found; the secret lies in a file of its own, which wrangler reads.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RunId, Sha256, TrialId } from "../../src/trace/ids.ts";
import { Subject } from "../../src/trace/levels.ts";
import { takeLock } from "../base/file-lock.ts";
import { UserError } from "../base/user-error.ts";
import { writeWhole } from "../base/whole-file.ts";
import { type Deployment, Prefix } from "./deployment.ts";

const STATE_VERSION = 1;

const DeployedWorker = z.strictObject({
  name: z.string(),
  /** Of the script that was put there. */
  sha256: Sha256,
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  /** The platform's id of what was put there last; null where it told none. */
  version: z.string().nullable(),
});

export const DeployState = z.strictObject({
  version: z.literal(STATE_VERSION),
  prefix: Prefix,
  kind: z.enum(["network", "rehearsal"]),
  /** `up` writes what it is about to do; `ready` is written last. */
  stage: z.string(),
  createdAt: z.iso.datetime(),
  /** Where the controller is reached; null until it is known. */
  controllerUrl: z.string().nullable(),
  /** That a rehearsal uses, two for each Worker; null on the network. */
  ports: z.array(z.number().int()).length(6).nullable(),
  /** How many times the subject's code was put there: each is a build of its own. */
  builds: z.number().int(),
  host: z.strictObject({ kind: z.enum(["sdk", "stand-in"]), name: z.string(), version: z.string() }),
  /** Whether the controller has the AI binding. */
  hasModels: z.boolean().default(false),
  /** Slots that the controller has a binding for. */
  slots: z.array(z.string()),
  workers: z.partialRecord(z.enum(["ledger", "subject", "controller"]), DeployedWorker),
  caps: z.strictObject({ trials: z.number().int(), minutes: z.number().int() }),
  /** What was spent of them since `up`. */
  spent: z.strictObject({ trials: z.number().int(), minutes: z.number() }),
  /** Trials that were started, for the kill switch. */
  runs: z.array(
    z.strictObject({
      run: RunId,
      trials: z.array(z.strictObject({ trial: TrialId, subject: Subject })),
    }),
  ),
});
export type DeployState = z.infer<typeof DeployState>;

export function statePath({ folder }: Deployment): string {
  return join(folder, "state.json");
}

/** In the form of an env file, as wrangler reads it. */
export function secretPath({ folder }: Deployment): string {
  return join(folder, "secret.env");
}

/** Null where nothing is known. @throws UserError when what lies there cannot be read. */
export function readState(deployment: Deployment): DeployState | null {
  const path = statePath(deployment);
  if (!existsSync(path)) return null;
  const parsed = DeployState.safeParse(parseJson(readFileSync(path, "utf8")));
  if (parsed.success) return parsed.data;
  throw new UserError(
    `the state of deployment '${deployment.prefix}' cannot be read (${z.prettifyError(parsed.error).split("\n")[0]}); ` +
      `remove everything: npm run deploy -- down --prefix ${deployment.prefix}`,
  );
}

export async function writeState(deployment: Deployment, state: DeployState): Promise<void> {
  makePrivate(deployment.folder);
  await writeWhole(statePath(deployment), `${JSON.stringify(DeployState.parse(state), null, 2)}\n`);
}

export function writeSecret(deployment: Deployment, secret: string): void {
  makePrivate(deployment.folder);
  const path = secretPath(deployment);
  writeFileSync(path, `KIT_SECRET=${secret}\n`, { mode: 0o600 });
  // The mode counts only for a file that was not there.
  chmodSync(path, 0o600);
}

/** Null where there is none. */
export function readSecret(deployment: Deployment): string | null {
  const path = secretPath(deployment);
  if (!existsSync(path)) return null;
  return /^KIT_SECRET=([0-9a-f]{16,})$/m.exec(readFileSync(path, "utf8"))?.[1] ?? null;
}

/** The state of a deployment that is up. @throws UserError that says what to do. */
export function requireReady(deployment: Deployment): { state: DeployState; secret: string } {
  const state = readState(deployment);
  const { prefix } = deployment;
  if (state === null)
    throw new UserError(
      `there is no deployment '${prefix}' here; start one: npm run deploy -- up --prefix ${prefix} --rehearse`,
    );
  const secret = readSecret(deployment);
  if (state.stage !== "ready" || state.controllerUrl === null || secret === null)
    throw new UserError(
      `deployment '${prefix}' is not whole ('up' ended at: ${state.stage}); ` +
        `remove it: npm run deploy -- down --prefix ${prefix}`,
    );
  return { state, secret };
}

/** Beside the folder, which a command removes while it has the lock. */
export function lockPath({ folder }: Deployment): string {
  return `${folder}.lock`;
}

/** Does `work` while no other command works at the deployment. @throws UserError when another one does. */
export async function withLock<T>(deployment: Deployment, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(deployment.folder, ".."), { recursive: true, mode: 0o700 });
  const taken = await takeLock(lockPath(deployment));
  if ("owner" in taken)
    throw new UserError(
      `another command works at deployment '${deployment.prefix}' (process ${taken.owner.pid}, since ${taken.owner.since}); ` +
        "wait for its end, or give another --prefix",
    );
  try {
    return await work();
  } finally {
    taken.release();
  }
}

function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
