/** How the files of a run's folder are called. */
import { basename } from "node:path";

export const VERDICTS_FILE = "verdicts.jsonl";
/** Beside golden traces: the verdicts that they are held to. */
export const EXPECTED_FILE = "expected.jsonl";
const TRACE = ".jsonl";
const PACKED = ".gz";

/** Verdicts may have been written beside the traces under another name, with --out. */
export function isTraceName(name: string): boolean {
  return name.endsWith(TRACE) && !name.endsWith(VERDICTS_FILE) && basename(name) !== EXPECTED_FILE;
}

/** A trace, or one that was packed by itself. */
export function isStoredTraceName(name: string): boolean {
  return isTraceName(name.endsWith(PACKED) ? name.slice(0, -PACKED.length) : name);
}

/** The trial whose trace the file ought to hold. */
export function trialNameOf(path: string): string {
  const name = basename(path);
  return basename(name.endsWith(PACKED) ? name.slice(0, -PACKED.length) : name, TRACE);
}
