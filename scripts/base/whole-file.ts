/** Files that are there whole or not at all, after a crash, a full disk or a power cut too. */
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { machineErrorOf } from "./machine-error.ts";

/**
 * Writes a file beside its place, has it put on the disk and then moves it there. What was begun is removed when it fails.
 *
 * @param verify is given the path of what was written, before it gets its name; it throws when that is not whole.
 * @param partial where it is written first; several that may write one file at once need a place of their own each.
 * @throws MachineError when the machine refuses, and whatever `content` or `verify` throws.
 */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<string>,
  verify: (written: string) => void = () => undefined,
  partial = `${path}.partial`,
): Promise<void> {
  try {
    const file = await open(partial, "w");
    try {
      // Unlike `write`, it goes on where the system took a part only.
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    verify(partial);
    await rename(partial, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw machineErrorOf(error, { operation: "write", path }) ?? error;
  }
}

/** Puts the names in a folder on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder: FileHandle = await open(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    // Some file systems cannot do this for a folder; the file itself is safe there all the same.
    if (!["EINVAL", "ENOTSUP"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await folder.close();
  }
}
