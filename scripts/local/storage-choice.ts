/**
 * Where the processes of a run keep their storage: in memory (tmpfs) where there is room for the planned trials, else in
 * the system's temporary folder. In memory a write need not wait for a disk. A process that is killed loses no more there
 * than on a disk, because either way the kernel has what was written; nothing that the kit does takes the power away.
 */
import { accessSync, constants, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { z } from "zod";
import type { Storage } from "../../src/trace/spec.ts";
import { UserError } from "../base/user-error.ts";

export const StorageOption = z.enum(["auto", "memory", "disk"]);
export type StorageOption = z.infer<typeof StorageOption>;

export type StorageChoice = {
  readonly storage: Storage;
  /** Folder for the runtime's own. */
  readonly parent: string;
};

/** A folder that could be used. */
export type Place = { readonly folder: string; readonly inMemory: boolean; readonly freeBytes: number };

/** Where Linux has a tmpfs that everybody may use. */
const SHARED_MEMORY = "/dev/shm";
/** How `statfs` names a tmpfs. */
const TMPFS = 0x01021994;

/** What a run takes without its trials, and what each takes more: 3.1 MB in a run of 299, and half as much again. */
const RUN_BYTES = 16 * 2 ** 20;
const TRIAL_BYTES = 4.5 * 2 ** 20;

/** @throws UserError when what was asked for is not to be had. */
export function chooseStorage(option: StorageOption, trials: number): StorageChoice {
  return chooseAmong(option, trials, lookAt(SHARED_MEMORY), lookAt(tmpdir()));
}

/** `shared` is null where there is none that can be used. */
export function chooseAmong(
  option: StorageOption,
  trials: number,
  shared: Place | null,
  temporary: Place | null,
): StorageChoice {
  const neededBytes = RUN_BYTES + trials * TRIAL_BYTES;
  if (option !== "disk") {
    const memory = [shared, temporary].find((place) => place?.inMemory && place.freeBytes >= neededBytes);
    if (memory != null) return { storage: "memory", parent: memory.folder };
    if (option === "memory")
      throw new UserError(
        `--storage memory: ${trials} trials need ${megabytes(neededBytes)} and ${roomIn(shared)}; ` +
          "use --storage disk, or run fewer trials at a time",
      );
  }
  if (option === "disk" && temporary?.inMemory === true)
    throw new UserError(
      `--storage disk: the system's temporary folder '${temporary.folder}' lies in memory; ` +
        "set TMPDIR to a folder on a disk, or use --storage memory",
    );
  return { storage: temporary?.inMemory === true ? "memory" : "disk", parent: temporary?.folder ?? tmpdir() };
}

/** Null where nothing can be written. */
function lookAt(folder: string): Place | null {
  try {
    accessSync(folder, constants.W_OK);
    const { type, bavail, bsize } = statfsSync(folder);
    const inMemory = type === TMPFS;
    const free = bavail * bsize;
    // A tmpfs may promise more than there is; the processes need the other half.
    return { folder, inMemory, freeBytes: inMemory ? Math.min(free, freemem() / 2) : free };
  } catch {
    return null;
  }
}

function roomIn(shared: Place | null): string {
  return shared?.inMemory === true
    ? `${shared.folder} has room for ${megabytes(shared.freeBytes)}`
    : `this machine has no tmpfs in ${SHARED_MEMORY}`;
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MB`;
}
