/**
 * Files out of an archive (`.zip`, `.tgz`, `.tar.gz`, `.tar`) or a packed file (`.gz`), in memory: nothing is written to the
 * disk, so no name in an archive can lead anywhere. Whatever the archive holds or claims to hold, time and memory are bounded.
 *
 * Leaves to others: which of the files are traces, and in which folders they lie (stored-traces.ts).
 */
import { closeSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import { crc32, gunzip } from "node:zlib";
import { unpackTar } from "modern-tar";
import { fromBufferPromise } from "yauzl";
import { openRegular } from "../base/regular-file.ts";
import { UserError } from "../base/user-error.ts";

export type PackedFile = {
  /** With `/` between folders, and no way out. */
  readonly name: string;
  readonly bytes: Buffer;
};

export type ArchiveLimits = {
  /** Of the archive itself. */
  readonly packedBytes: number;
  /** Of everything that is unpacked of it. */
  readonly unpackedBytes: number;
  readonly entries: number;
  /** How many times the packed size it may unpack to: a trace, with a hash on each line, packs to a tenth. */
  readonly ratio: number;
};

const LIMITS: ArchiveLimits = {
  packedBytes: 256 * 1024 * 1024,
  unpackedBytes: 512 * 1024 * 1024,
  entries: 50_000,
  ratio: 200,
};
/** So much may come of a packed file of any size. */
const UNPACKED_FREE_BYTES = 4 * 1024 * 1024;

const ARCHIVE = /\.(zip|tgz|tar|gz)$/i;
/** Where a tar's header says what it is, and what. */
const TAR_MARK_AT = 257;
const TAR_MARK = "ustar";

const unpackGzip = promisify(gunzip);

export function isArchiveName(path: string): boolean {
  return ARCHIVE.test(path);
}

/**
 * The files of an archive whose name is wanted, in its order. A `.gz` of one file gives that file, under its name without
 * the ending.
 *
 * @throws UserError when it is damaged, locked by a password, larger than any run, or holds a name that leads out of it.
 */
export async function readArchive(
  path: string,
  isWanted: (name: string) => boolean,
  limits: ArchiveLimits = LIMITS,
): Promise<PackedFile[]> {
  const packed = readPacked(path, limits);
  const most = Math.min(limits.unpackedBytes, Math.max(UNPACKED_FREE_BYTES, packed.length * limits.ratio));
  const budget = new Budget(path, most, limits.entries);
  try {
    if (/\.zip$/i.test(path)) return await filesOfZip(packed, isWanted, budget);
    const bytes = /\.tar$/i.test(path) ? packed : await unpacked(packed, budget);
    if (isTar(bytes) || /\.(tgz|tar|tar\.gz)$/i.test(path)) return await filesOfTar(bytes, isWanted, budget);
    return [{ name: basename(path).replace(/\.gz$/i, ""), bytes }];
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(
      `cannot unpack '${path}': it is damaged or was not sent whole (${why.replace(/\.$/, "")})`,
    );
  }
}

function readPacked(path: string, limits: ArchiveLimits): Buffer {
  const { file, bytes } = openRegular(path);
  try {
    if (bytes > limits.packedBytes)
      throw new UserError(`cannot unpack '${path}': it is larger than ${limits.packedBytes} bytes`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** What may still be unpacked. */
class Budget {
  readonly #path: string;
  readonly #most: number;
  readonly #entriesMax: number;
  #bytes = 0;
  #entries = 0;

  constructor(path: string, most: number, entriesMax: number) {
    this.#path = path;
    this.#most = most;
    this.#entriesMax = entriesMax;
  }

  get leftBytes(): number {
    return this.#most - this.#bytes;
  }

  /** @throws UserError when it is more than is allowed. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#most) throw this.tooMuch();
  }

  /** Counts an entry, and refuses one whose name leads out of the archive. */
  enter(name: string): void {
    this.#entries += 1;
    if (this.#entries > this.#entriesMax)
      throw new UserError(`cannot unpack '${this.#path}': it holds more than ${this.#entriesMax} files`);
    if (leadsOut(name))
      throw new UserError(
        `cannot unpack '${this.#path}': it holds '${name}', a name that leads out of it; nothing of it is read`,
      );
  }

  tooMuch(): UserError {
    return new UserError(
      `cannot unpack '${this.#path}': it unpacks to more than ${this.#most} bytes, which no traces do`,
    );
  }

  locked(name: string): UserError {
    return new UserError(
      `cannot unpack '${this.#path}': '${name}' in it is locked by a password or packed in an unknown way; pack it without`,
    );
  }
}

function leadsOut(name: string): boolean {
  return /^([/\\]|[a-z]:)/i.test(name) || name.split(/[/\\]/).includes("..");
}

async function unpacked(packed: Buffer, budget: Budget): Promise<Buffer> {
  try {
    const bytes = await unpackGzip(packed, { maxOutputLength: Math.max(1, budget.leftBytes) });
    budget.take(bytes.length);
    return bytes;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw budget.tooMuch();
    throw error;
  }
}

async function filesOfZip(
  packed: Buffer,
  isWanted: (name: string) => boolean,
  budget: Budget,
): Promise<PackedFile[]> {
  const zip = await fromBufferPromise(packed, { lazyEntries: true, decodeStrings: true });
  const files: PackedFile[] = [];
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    budget.enter(name);
    if (name.endsWith("/") || !isWanted(name)) continue;
    if (entry.isEncrypted() || !entry.canDecodeFileData()) throw budget.locked(name);
    // What it says of its size is checked against what comes, by the library.
    budget.take(entry.uncompressedSize);
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    if (crc32(bytes) !== entry.crc32) throw new Error(`the check sum of '${name}' does not fit`);
    files.push(await unpackedFile(name, bytes, budget));
  }
  return files;
}

async function filesOfTar(
  bytes: Buffer,
  isWanted: (name: string) => boolean,
  budget: Budget,
): Promise<PackedFile[]> {
  const entries = await unpackTar(bytes, {
    strict: true,
    filter: ({ name, type }) => {
      budget.enter(name);
      return (type ?? "file") === "file" && isWanted(name);
    },
  });
  return await Promise.all(
    entries.map(({ header, data }) => {
      const file = Buffer.from(data ?? []);
      return unpackedFile(header.name.replace(/^(\.\/)+/, ""), file, budget);
    }),
  );
}

/** A file that was packed before it came into the archive. */
async function unpackedFile(name: string, bytes: Buffer, budget: Budget): Promise<PackedFile> {
  return /\.gz$/i.test(name)
    ? { name: name.replace(/\.gz$/i, ""), bytes: await unpacked(bytes, budget) }
    : { name, bytes };
}

function isTar(bytes: Buffer): boolean {
  return bytes.toString("latin1", TAR_MARK_AT, TAR_MARK_AT + TAR_MARK.length) === TAR_MARK;
}
