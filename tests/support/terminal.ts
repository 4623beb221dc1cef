/** Runs a command in a terminal of its own, as a user does: keys go through a real pseudo-terminal, made by `script`. */
import { spawn, spawnSync } from "node:child_process";
import { REPOSITORY } from "../../scripts/base/repository.ts";
import { kitEnvironment } from "./kit.ts";

export const CTRL_C = "\x03";

/** Whether this machine has the `script` of util-linux; others take other options. */
export const hasTerminals = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes(
  "util-linux",
);

type Terminal = {
  /** Of the process that holds the terminal; the command is its child. */
  readonly pid: number;
  readonly press: (key: string) => void;
  /** Resolves when the text has been shown; rejects when the command ends without it. */
  readonly shows: (text: string) => Promise<void>;
  /** Takes the terminal away, as closing its window does. */
  readonly close: () => void;
  /** The command's exit code, and all that was shown. */
  readonly ended: Promise<{ readonly code: number | null; readonly shown: string }>;
};

export function startInTerminal(command: readonly string[], env: NodeJS.ProcessEnv = {}): Terminal {
  // A dumb terminal is told of the progress in whole lines, which can be waited for; signals do not depend on that.
  const line = command.map((word) => `'${word}'`).join(" ");
  const child = spawn(
    "script",
    ["--quiet", "--return", "--flush", "--command", `exec ${line}`, "/dev/null"],
    {
      cwd: REPOSITORY,
      env: kitEnvironment({ TERM: "dumb", SHELL: "/bin/sh", ...env }),
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  // A key that is pressed when the program has just ended reaches nobody.
  child.stdin.on("error", () => undefined);
  let shown = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    for (const look of watchers) look();
  });
  const ended = new Promise<{ code: number | null; shown: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, shown }));
  });
  return {
    pid: child.pid ?? 0,
    press: (key) => void child.stdin.write(key),
    shows: (text) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!shown.includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without showing '${text}':\n${shown}`)));
      }),
    close: () => void child.kill("SIGKILL"),
    ended,
  };
}
