/** Peak memory of the kit's own process while it judges a stored run, as a user's shell would start it. */
import { spawn } from "node:child_process";
import { REPOSITORY } from "../../base/repository.ts";

/** Loaded before the kit: it tells the peak on its way out, through a pipe of its own. */
const TELL_PEAK =
  "data:text/javascript," +
  encodeURIComponent(
    'import { writeSync } from "node:fs";' +
      'process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));',
  );

type PeakMemory = { readonly command: string; readonly peakMb: number; readonly seconds: number };

/** @param args of the kit, such as `judge <folder>`. */
export function measurePeak(args: readonly string[], shown: string): Promise<PeakMemory> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", TELL_PEAK, "scripts/recovery-kit.mjs", ...args], {
      cwd: REPOSITORY,
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    const stop = () => void child.kill();
    process.once("exit", stop);
    let told = "";
    child.stdio[3]?.on("data", (text: Buffer) => {
      told += text.toString();
    });
    child.once("error", reject);
    child.once("close", () => {
      process.off("exit", stop);
      const kilobytes = Number(told);
      if (!(kilobytes > 0)) reject(new Error(`'${shown}' ended without telling its peak memory`));
      else
        resolve({ command: shown, peakMb: kilobytes / 1_000, seconds: (performance.now() - start) / 1_000 });
    });
  });
}
