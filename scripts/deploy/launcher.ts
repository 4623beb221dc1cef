/** Starts one process that stays, enters it in the deployment's folder, says its id, and is over (deployed-processes.ts). */
import { spawn } from "node:child_process";
import { appendFileSync, openSync } from "node:fs";
import { identityOf } from "../base/process-identity.ts";
import { LaunchOrder } from "./deployed-processes.ts";

const { role, command, args, cwd, log, entered } = LaunchOrder.parse(JSON.parse(process.argv[2] ?? ""));
const output = openSync(log, "a", 0o600);
const child = spawn(command, args, { cwd, detached: true, stdio: ["ignore", output, output] });
child.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.once("spawn", () => {
  const identity = child.pid === undefined ? null : identityOf(child.pid);
  if (identity !== null) appendFileSync(entered, `${JSON.stringify({ role, ...identity })}\n`);
  process.stdout.write(`${child.pid}\n`, () => process.exit(0));
});
