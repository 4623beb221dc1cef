/**
 * The command line without a process of its own: what it prints and its exit code. For what a command does with its
 * arguments and with stored files; that a process ends with that code, and how it is stopped, is kit.ts's.
 */
import { Writable } from "node:stream";
import { obey } from "../../scripts/cli.ts";
import type { Outlet } from "../../scripts/present/page.ts";
import type { Ended } from "./kit.ts";

// What runs the tests may wish for colours; a user's pipe does not.
delete process.env.FORCE_COLOR;
delete process.env.NO_COLOR;

/** Neither is a terminal. */
class Captured extends Writable implements Outlet {
  readonly isTTY = false;
  readonly columns = 0;
  text = "";

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    done();
  }
}

export async function kit(...args: string[]): Promise<Ended> {
  const [stdout, stderr] = [new Captured(), new Captured()];
  const code = await obey(args, { stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
