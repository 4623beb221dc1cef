/** One package of the registry in a folder of its own, exactly at a version and without its install script; what its binary is then. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { UserError } from "./user-error.ts";

const run = promisify(execFile);

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

type Package = {
  readonly name: string;
  readonly version: string;
  /** What is not to be had without it, for whoever reads the refusal: "real OpenCode server". */
  readonly brings: string;
};

/** @throws UserError when the registry does not have it or npm fails, in npm's own words. */
export async function installPackage(folder: string, { name, version, brings }: Package): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--prefix", folder, "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund"];
  const failure = await failureOfNpm([...args, `${name}@${version}`], folder);
  if (failure === null) return;
  if (/E404|ETARGET|404 Not Found/.test(failure))
    throw new UserError(
      `the npm registry that this machine uses does not have ${name}@${version}, so there is no ${brings} here`,
    );
  throw new UserError(`npm could not install ${name}@${version}: ${firstLines(failure)}`);
}

/** What npm says of what went wrong; null where nothing did. It says so even where it runs below an `npm run --silent`. */
export async function failureOfNpm(args: readonly string[], folder: string): Promise<string | null> {
  try {
    await run("npm", [...args, "--loglevel=error"], { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX });
    return null;
  } catch (error) {
    return error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  }
}

/** What a binary prints of its version, in a home of its own. @throws when it does not run, or not within the time where one is given. */
export async function toldVersion(binary: string, timeoutMs = 0): Promise<string> {
  const folder = dirname(binary);
  const { stdout } = await run(binary, ["--version"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    timeout: timeoutMs,
  });
  return stdout.trim();
}

/** npm begins with what went wrong and ends with where its log lies. */
function firstLines(output: string): string {
  return output.trim().split("\n").slice(0, 3).join(" ");
}
