/**
 * Opens files that somebody else may have put there. What is no regular file is refused by name: a pipe would be waited for
 * without end, and a device can be read without end.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { UserError } from "./user-error.ts";

type OpenFile = { readonly file: number; readonly bytes: number };

/** @returns the open file, to be closed by the caller, and its size. @throws UserError for what is no regular file. */
export function openRegular(path: string): OpenFile {
  // A pipe that nobody writes to would be waited for already while it is opened. Where the flag is missing, so are such pipes.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = fstatSync(file);
    if (found.isFile()) return { file, bytes: found.size };
    throw new UserError(`cannot read '${path}': it is ${kindOf(found)} and no regular file`);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The whole text of a file of limited size. @throws UserError for another kind of file, and for a larger one. */
export function readRegular(path: string, bytesMax: number): string {
  const { file, bytes } = openRegular(path);
  try {
    if (bytes > bytesMax) throw new UserError(`cannot read '${path}': it is larger than ${bytesMax} bytes`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  if (found.isFIFO()) return "a pipe";
  return found.isSocket() ? "a socket" : "a device";
}
