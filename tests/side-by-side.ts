/**
 * Runs commands at the same time, for `npm test`: the first one's output comes as it is printed, each other's in one piece once
 * those before it have ended. The exit code is that of the first command, in their order, that failed.
 */
import { spawn } from "node:child_process";

const FAILED = 1;

type Ended = { readonly code: number; readonly output: string };

/** Only a terminal gets colours from a command whose output is kept until later. */
const env = process.stdout.isTTY ? { FORCE_COLOR: "1", ...process.env } : process.env;

function start(command: string, shown: boolean): Promise<Ended> {
  const child = spawn(command, {
    shell: true,
    env,
    stdio: shown ? "inherit" : ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // Ended by a signal, it has no code of its own.
    child.once("close", (code) => resolve({ code: code ?? FAILED, output }));
  });
}

const running = process.argv.slice(2).map((command, index) => start(command, index === 0));
for (const command of running) {
  const { code, output } = await command;
  process.stdout.write(output);
  process.exitCode ||= code;
}
