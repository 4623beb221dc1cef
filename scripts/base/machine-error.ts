/**
 * What the machine refuses: a full disk, a missing permission, no more open files. It is no mistake in the command and no bug
 * of the kit: one sentence that names what was tried, on which path, and what to do. Exit code 4.
 */
import { shownPath } from "./shown-path.ts";

export class MachineError extends Error {
  override readonly name = "MachineError";
  /** The system's own word, such as `ENOSPC`; empty where several refusals are told as one. */
  readonly code: string;

  constructor(message: string, code = "", cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

type Refusal = { readonly why: string; readonly remedy: string };

const PERMISSION: Refusal = {
  why: "this is not permitted",
  remedy: "give yourself the permission, or name another place",
};
const FILES: Refusal = { why: "too many files are open", remedy: "raise the limit ('ulimit -n')" };
const PLACE: Refusal = { why: "a part of the path is missing or is no folder", remedy: "put that right" };

/** Refusals that are the machine's whoever meets them. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ENOSPC: { why: "no space is left on the disk", remedy: "free some" },
  EDQUOT: { why: "your share of the disk is used up", remedy: "free some of it" },
  EFBIG: { why: "the file would be larger than is allowed here", remedy: "raise the limit ('ulimit -f')" },
  EROFS: { why: "the file system is read-only", remedy: "name another place" },
  EACCES: PERMISSION,
  EPERM: PERMISSION,
  EMFILE: FILES,
  ENFILE: FILES,
  EIO: { why: "the disk reports an error", remedy: "look at the disk before you trust it" },
  ENOMEM: { why: "no memory is left", remedy: "end other programs" },
};

/** Refusals that are the machine's where a path of the user's is written; of a file of the kit's own they are a bug. */
const OF_A_PLACE: Readonly<Record<string, Refusal>> = {
  ENOENT: PLACE,
  ENOTDIR: PLACE,
  EISDIR: PLACE,
  EEXIST: PLACE,
};

/**
 * The error as a refusal of the machine, or null when it is none.
 *
 * @param tried what was being done to which path of the user's, where that is known better than by the system call.
 */
export function machineErrorOf(
  error: unknown,
  tried?: { readonly operation: string; readonly path: string },
): MachineError | null {
  if (error instanceof MachineError) return error;
  const refused = systemError(error);
  if (refused === null) return null;
  const { code, syscall, path } = refused;
  const refusal = REFUSALS[code] ?? (tried === undefined ? undefined : OF_A_PLACE[code]);
  if (refusal === undefined) return null;
  const operation = tried?.operation ?? syscall;
  const of = tried?.path ?? path;
  const what = of === undefined ? operation : `${operation} '${shownPath(of)}'`;
  return new MachineError(`cannot ${what}: ${refusal.why} (${code}); ${refusal.remedy}`, code, error);
}

type SystemError = { readonly code: string; readonly syscall: string; readonly path: string | undefined };

/** The system's refusal, which a library may have wrapped in errors of its own. */
function systemError(error: unknown): SystemError | null {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error; depth++) {
    const { code, syscall, path } = inner as NodeJS.ErrnoException;
    if (typeof code === "string" && typeof syscall === "string") return { code, syscall, path };
    inner = inner.cause;
  }
  return null;
}
