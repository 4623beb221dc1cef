/** Gives wrangler one command and reads what came of it. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { packageFolder } from "../base/repository.ts";
import { UserError } from "../base/user-error.ts";
import { enterScratch } from "../local/process/scratch.ts";
import { wranglerEnvironment } from "./wrangler-program.ts";

/** One line of wrangler's output for programs, as far as it is read here; other types are passed over. */
export const WranglerEvent = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("deploy"),
    worker_name: z.string().nullable(),
    /** Null for a dry run. */
    version_id: z.string().nullable(),
    /** Addresses. */
    targets: z.array(z.string()).optional(),
  }),
  z.looseObject({ type: z.literal("command-failed"), message: z.string() }),
]);
export type WranglerEvent = z.infer<typeof WranglerEvent>;

export type WranglerAnswer = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly deploy: Extract<WranglerEvent, { type: "deploy" }> | null;
  /** The exact text of what it failed with, where it told one. */
  readonly failure: string | null;
};

/** Wrangler refused or failed: said with its own words. */
export class WranglerError extends UserError {
  constructor(what: string, { code, failure, stdout, stderr }: WranglerAnswer) {
    // Its help goes to stdout, after the reason, which goes to stderr.
    const said = stripVTControlCharacters(failure ?? (stderr.trim() === "" ? stdout : stderr));
    const text = said.trim().slice(0, 2_000);
    super(`wrangler: ${what} ended with exit code ${code}: ${text === "" ? "no output" : text}`);
  }
}

/** The answer of a run of wrangler to one command. */
export async function runWrangler(args: readonly string[]): Promise<WranglerAnswer> {
  // From there on it goes with this process, and so does a wrangler that works when this process is killed.
  const scratch = join(await enterScratch(), `wrangler-${crypto.randomUUID()}`);
  mkdirSync(join(scratch, "tmp"), { recursive: true, mode: 0o700 });
  const told = join(scratch, "output.ndjson");
  try {
    const { code, stdout, stderr } = await ended(args, {
      ...process.env,
      ...wranglerEnvironment(scratch),
      PATH: pathWithWrangler(process.env.PATH ?? ""),
      WRANGLER_OUTPUT_FILE_PATH: told,
    });
    const events = eventsIn(readIfThere(told));
    return {
      code,
      stdout,
      stderr,
      deploy: events.findLast((event) => event.type === "deploy") ?? null,
      failure: events.findLast((event) => event.type === "command-failed")?.message ?? null,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The lines that are known; wrangler writes others too. */
export function eventsIn(text: string): WranglerEvent[] {
  return text.split("\n").flatMap((line) => {
    try {
      return WranglerEvent.safeParse(JSON.parse(line)).data ?? [];
    } catch {
      return [];
    }
  });
}

/** A wrangler that the user has put first comes first; the installed one is always found, and this Node.js runs it. */
function pathWithWrangler(path: string): string {
  const installed = packageFolder("wrangler");
  const last = installed === null ? [] : [join(dirname(installed), ".bin")];
  return [dirname(process.execPath), path, ...last].join(delimiter);
}

function ended(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Pick<WranglerAnswer, "code" | "stdout" | "stderr">> {
  return new Promise((resolve, reject) => {
    const child = spawn("wrangler", args, { cwd: tmpdir(), env, stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] += text;
      });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
