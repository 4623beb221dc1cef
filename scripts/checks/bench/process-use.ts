/**
 * What a process has used so far, as Linux tells it. Elsewhere nothing can be told, and null says so.
 */
import { readFileSync } from "node:fs";

type ProcessUse = { readonly cpuMs: number; readonly peakMb: number };

/** `USER_HZ`, which is the same on every machine that Linux runs Node.js on. */
const TICKS_PER_SECOND = 100;
/** Of the fields of `/proc/<pid>/stat` after the command's name; proc(5) numbers them from 3. */
const [USER_TICKS, SYSTEM_TICKS] = [14 - 3, 15 - 3];

export function processUse(pid: number): ProcessUse | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
    const peakKb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return { cpuMs: (ticks * 1_000) / TICKS_PER_SECOND, peakMb: Number(peakKb) / 1_000 };
  } catch {
    return null;
  }
}
