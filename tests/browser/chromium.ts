/** Debian's Chromium: found on this machine, or installed from Debian's packages where this is permitted, which is said. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function openChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  const executablePath = chromiumPath();
  // Chromium refuses to run as root inside of its sandbox. The page is a file that this test wrote.
  return chromium.launch({ executablePath, args: isRoot ? ["--no-sandbox"] : [] });
}

/** Where it is; it is installed where it is missing. @throws Error with what to do, where it cannot be. */
export function chromiumPath(): string {
  return found() ?? installed(process.getuid?.() === 0);
}

function found(): string | undefined {
  return [process.env.CHROMIUM, ...PLACES].find((path) => path !== undefined && existsSync(path));
}

function installed(isRoot: boolean): string {
  const want = "Chromium is missing: install it ('apt-get install chromium'), or name it in CHROMIUM";
  if (!isRoot) throw new Error(want);
  process.stderr.write("Chromium is missing: it is being installed from Debian's packages.\n");
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    const { status } = spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`'apt-get ${args.join(" ")}' failed. ${want}`);
  }
  const path = found();
  if (path === undefined) throw new Error(want);
  return path;
}
