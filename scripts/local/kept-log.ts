/**
 * What the Workers and servers printed, kept with the run: the end of it, without the run's secret. For whoever looks for a
 * fault; it is no evidence, and the judge does not read it. An exception of a known trial is a record of its trace; one of no
 * known trial stands here alone.
 */
import { open } from "node:fs/promises";
import { printableLines } from "../base/printable.ts";
import { writeWhole } from "../base/whole-file.ts";

export const WORKERS_LOG = "workers.log";
/** Most bytes of a log that are kept; a run of 220 trials prints less. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** @throws as the file system does; a log that cannot be kept ends no run. */
export async function keepLog(
  from: string,
  to: string,
  secret: string,
  most = KEPT_BYTES_MAX,
): Promise<void> {
  const file = await open(from);
  try {
    const { size } = await file.stat();
    const begin = Math.max(0, size - most);
    const bytes = Buffer.alloc(size - begin);
    await file.read(bytes, 0, bytes.length, begin);
    await writeWhole(to, keptText(bytes.toString("utf8"), secret, begin > 0));
  } finally {
    await file.close();
  }
}

/** @param isCut whether text is missing before: the first line may begin in the middle, even of the secret. */
function keptText(text: string, secret: string, isCut: boolean): string {
  const lines = isCut
    ? `… the beginning is not kept\n${text.slice(text.indexOf("\n") + 1 || text.length)}`
    : text;
  return printableLines(lines.replaceAll(secret, "<secret of the run>"));
}
