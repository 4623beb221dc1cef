/** What a server's own log says of why it fails; such a server says nothing of it on its output. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** The last error of the log that the server wrote last, on one line. */
export async function lastErrorIn(dataFolder: string): Promise<string> {
  const folder = join(dataFolder, "log");
  const names = await readdir(folder).catch(() => []);
  // Versions name their logs differently, so that names do not tell which is the newest.
  const logs = await Promise.all(
    names.map(async (name) => ({ name, writtenAt: (await stat(join(folder, name))).mtimeMs })),
  );
  const newest = logs.sort((a, b) => a.writtenAt - b.writtenAt).at(-1)?.name;
  if (newest === undefined) return "it keeps no log";
  const log = await readFile(join(folder, newest), "utf8");
  const entries = log.split(/^(?=(?:DEBUG|INFO|WARN|ERROR) )/m);
  const last = entries.findLast((entry) => entry.startsWith("ERROR ")) ?? "its log tells no error";
  // What brought it about is said last, and before where in its code.
  const [text = ""] = last.split(/\n\s+at /);
  const cause = / Caused by: ([^\n]*?)(?: cause=|$)/m.exec(text)?.[1];
  return (cause ?? text.replaceAll(/\s+/g, " ")).trim().slice(0, 1_000);
}
