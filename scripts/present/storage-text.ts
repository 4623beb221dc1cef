/** Where a run's processes keep what they store, in words: for a plan, and for a run that has begun. */
import type { Storage } from "../../src/trace/spec.ts";

const WHERE: Readonly<Record<Storage, string>> = {
  memory: "in memory, where no write waits for a device",
  disk: "on a disk",
};

export function storageText(storage: Storage): string {
  return `Storage: ${WHERE[storage]} (--storage).`;
}
