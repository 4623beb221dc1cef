/**
 * The one place that lists a run's traces, wherever they lie: in a folder, in one file, in an archive. Those of an archive
 * have a path too, which leads on through the archive (`mailed.zip/run-1/run-1-001.jsonl`) and may be named like any other.
 */
import { readdirSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, posix, resolve } from "node:path";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import { UserError } from "../base/user-error.ts";
import { isArchiveName, type PackedFile, readArchive } from "./archive.ts";
import { parseTraceBytes, readTrace, type StoredTrace } from "./read-trace.ts";
import { parseStoredRun, RUN_FILE, readStoredRun, type StoredRun } from "./stored-run.ts";
import { isStoredTraceName, isTraceName } from "./trace-names.ts";

export type TraceFile = {
  readonly path: string;
  /** Reads it anew each time. @throws UserError for what is no regular file, and the system's own error. */
  readonly read: () => StoredTrace;
};

export type StoredTraces = {
  /** As it was named. */
  readonly path: string;
  /** Of its run, or that the trace lies in. */
  readonly folder: string;
  /** One trace was named, and not all of a run. */
  readonly isOne: boolean;
  /** In an archive, where nothing can be written. */
  readonly isPacked: boolean;
  /** By name. */
  readonly traces: readonly TraceFile[];
  /** What was planned: null where that is not there, a sentence where it cannot be read. */
  readonly plan: StoredRun | string | null;
};

/**
 * What a path names: one trace, or all traces of a run's folder; either may be packed.
 *
 * @throws UserError when it does not exist, cannot be read or is nothing of the kind.
 */
export async function openStored(path: string): Promise<StoredTraces> {
  const packed = throughArchive(path);
  if (packed !== null) return await openPacked(path, packed);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      error.code === "ENOENT" ? `there is no '${path}'` : `cannot read '${path}': ${error.code}`,
    );
  });
  if (found.isDirectory()) return await openFolder(path);
  if (!isTraceName(path))
    throw new UserError(
      `'${path}' is not a trace: give a .jsonl trace or the folder of a run, packed or not (.gz, .zip, .tgz)`,
    );
  return {
    ...{ path, folder: dirname(path), isOne: true, isPacked: false, plan: null },
    traces: [{ path, read: () => readTrace(path) }],
  };
}

/** All traces of a folder, which may be packed each by itself. */
export async function openFolder(folder: string): Promise<StoredTraces> {
  const names = (await readdir(folder)).filter(isStoredTraceName).sort();
  const traces: TraceFile[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (isTraceName(name)) traces.push({ path, read: () => readTrace(path) });
    else traces.push(...(await readArchive(path, () => true)).map((file) => packedTrace(path, file)));
  }
  const plan = await readStoredRun(folder);
  return { path: folder, folder, isOne: false, isPacked: false, traces, plan };
}

/** That a folder holds no traces, and which of its folders do. */
export function noTracesIn(folder: string, named = folder): UserError {
  const names = kindOf(folder) === "folder" ? readdirSync(folder) : [];
  const below = names.map((name) => join(folder, name)).filter((path) => kindOf(path) === "folder");
  const holding = below.filter((path) => readdirSync(path).some(isStoredTraceName));
  const where = holding.length === 0 ? "" : `; ${shortList(holding)} ${holding.length === 1 ? "does" : "do"}`;
  return new UserError(`'${named}' holds no traces (*.jsonl)${where}`);
}

/** Whether there is something of that name, on the disk or in an archive there. */
export function isStored(path: string): boolean {
  return kindOf(path) !== "nothing" || throughArchive(path) !== null;
}

/** A link that leads nowhere is something: whoever opens it says what is wrong. */
function kindOf(path: string): "folder" | "other" | "nothing" {
  try {
    return statSync(path).isDirectory() ? "folder" : "other";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    return code === "ENOENT" || code === "ENOTDIR" ? "nothing" : "other";
  }
}

type InArchive = {
  readonly archive: string;
  /** A folder or a file in it, with `/` between; empty for all of it. */
  readonly inside: string;
};

/** The path as one that leads into an archive; null where none is on the way. */
function throughArchive(path: string): InArchive | null {
  for (let here = path; ; here = dirname(here)) {
    if (isArchiveName(here) && kindOf(here) === "other") {
      const inside = resolve(path).slice(resolve(here).length + 1);
      return { archive: here, inside: inside.replaceAll("\\", "/") };
    }
    if (dirname(here) === here) return null;
  }
}

async function openPacked(path: string, { archive, inside }: InArchive): Promise<StoredTraces> {
  const files = await readArchive(archive, isOfRun);
  const [only] = files;
  // Packed by itself: the file's own name says which trace it is, if any does.
  if (/\.gz$/i.test(archive) && !/\.tar\.gz$/i.test(archive) && files.length === 1 && only !== undefined)
    if (!only.name.includes("/") && inside === "") return ofOne(archive, packedTrace(archive, only));
  const traces = files.filter(({ name }) => isTraceName(name)).sort((a, b) => byCodeUnit(a.name, b.name));
  const one = traces.find(({ name }) => name === inside);
  if (one !== undefined) return ofOne(path, packedTrace(join(archive, one.name), one));
  const within = traces.filter(({ name }) => inside === "" || name.startsWith(`${inside}/`));
  const folders = [...new Set(within.map(({ name }) => posix.dirname(name)))];
  const [folder] = folders;
  if (folder === undefined)
    throw new UserError(
      inside === ""
        ? `'${archive}' holds no traces (*.jsonl)`
        : `'${archive}' holds no traces in '${inside}'`,
    );
  // As of a folder on the disk: those that lie in it, and not those further down.
  const asked = inside === "" ? "." : inside;
  const exact = folders.find((name) => name === asked) ?? folder;
  if (exact !== asked && folders.length > 1)
    throw new UserError(
      `'${archive}' holds the traces of ${folders.length} folders: name one, for example '${join(archive, folder)}'; they are ${shortList(folders)}`,
    );
  const own = within.filter(({ name }) => posix.dirname(name) === exact);
  const run = files.find(({ name }) => name === posix.join(exact, RUN_FILE));
  return {
    ...{ path, folder: join(archive, exact), isOne: false, isPacked: true },
    traces: own.map((file) => packedTrace(join(archive, file.name), file)),
    plan: run === undefined ? null : parseStoredRun(run.bytes.toString("utf8")),
  };
}

function ofOne(path: string, trace: TraceFile): StoredTraces {
  return {
    ...{ path, folder: dirname(trace.path), isOne: true, isPacked: true },
    traces: [trace],
    plan: null,
  };
}

function packedTrace(path: string, { bytes }: PackedFile): TraceFile {
  return { path, read: () => parseTraceBytes(bytes) };
}

/** Traces and plans, but for what a Mac puts beside each file of an archive. */
function isOfRun(name: string): boolean {
  const own = posix.basename(name);
  if (name.startsWith("__MACOSX/") || own.startsWith("._")) return false;
  return isStoredTraceName(own) || own === RUN_FILE;
}

function shortList(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return `${names.slice(0, 5).join(", ")}${more}`;
}
