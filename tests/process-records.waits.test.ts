/**
 * Real processes, really ended: by the kit's own order, and by somebody else. What the traces say of processes is held against
 * what the operating system shows: who ever had the subject's storage open.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { ParsedTrace } from "../src/trace/file.ts";
import { ofType } from "../src/trace/records.ts";
import { descendantsOf } from "./support/kit.ts";
import { RUN_TIMEOUT_MS, runTrials } from "./support/run-trials.ts";

/** Nothing here waits for an object to wake. */
const QUIET_MS = 2_000;
/** A process that nobody ordered lives for longer than this. */
const LOOK_MS = 50;
const STORAGE = /\/subject-([a-z0-9-]+)(\/|$)/;

/** The database of an object, which is there once a trial has spoken to it. */
const OBJECT = /\/[0-9a-f]{64}\.sqlite$/;

const KILLED = "opencode/after-commit/kill/append/reissue";
const RESTARTED = "opencode/after-commit/restart/append/reissue";
/** Its process is ended from outside. */
const STRUCK = "opencode/after-commit/abort/append/reissue";

/** Every process that ever had a slot's storage open, by slot. */
class StorageWatch {
  readonly pids = new Map<string, Set<number>>();

  async until(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      this.#look();
      await delay(LOOK_MS);
    }
  }

  of(slot: string): number[] {
    return [...(this.pids.get(slot) ?? [])].toSorted();
  }

  #look(): void {
    for (const pid of descendantsOf(process.pid))
      for (const path of openFiles(pid)) {
        const slot = STORAGE.exec(path)?.[1];
        if (slot !== undefined) this.pids.set(slot, (this.pids.get(slot) ?? new Set()).add(pid));
      }
  }
}

function openFiles(pid: number): string[] {
  try {
    // A child of this process that has not become another program yet shares what this process has open.
    if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("workerd")) return [];
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

/** The processes that a trace names, each once. */
function namedPids(trace: ParsedTrace): number[] {
  const named = [...ofType(trace.records, "process.started"), ...ofType(trace.records, "process.ended")];
  return [...new Set(named.map(({ pid }) => pid))].toSorted();
}

describe("processes on a subject's storage", () => {
  const watch = new StorageWatch();
  let trace: (condition: string) => ParsedTrace;

  beforeAll(async () => {
    const over = new AbortController();
    const watching = watch.until(over.signal);
    const striking = strike(watch, over.signal);
    trace = await runTrials("recovery", [KILLED, RESTARTED, STRUCK], QUIET_MS);
    over.abort();
    await Promise.all([watching, striking]);
    // A process for each of three slots has to be started first, one after the other.
  }, 2 * RUN_TIMEOUT_MS);

  it.each([
    [KILLED, { exitCode: null, signal: "SIGKILL" }],
    // Asked to end, workerd ends in order.
    [RESTARTED, { exitCode: 0, signal: null }],
  ])(
    "%s: the trace names every one, and the old one's end stands before the new one's start",
    (name, how) => {
      const { records, header } = trace(name);
      const [first, next] = ofType(records, "process.started");
      const [ended, ...others] = ofType(records, "process.ended");
      const [requested] = ofType(records, "reset.requested");
      const [performed] = ofType(records, "reset.performed");
      expect(others).toEqual([]);
      expect(ended).toMatchObject({
        pid: first?.pid,
        ...how,
        meant: true,
        because: requested?.seq,
      });
      expect(next).toMatchObject({ pid: performed?.process?.nextPid, because: ended?.seq });
      expect(first?.seq).toBeLessThan(ended?.seq ?? 0);
      const order = [requested, ended, next, performed].map((record) => record?.seq ?? 0);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(namedPids(trace(name))).toEqual(watch.of(header?.spec.slot ?? ""));
      expect(namedPids(trace(name))).toHaveLength(2);
    },
  );

  it("that nobody ordered to end are reported as such, and started again by the kit alone", () => {
    const { records } = trace(STRUCK);
    const [first, next] = ofType(records, "process.started");
    const [ended] = ofType(records, "process.ended");
    expect(ended).toMatchObject({ pid: first?.pid, signal: "SIGKILL", meant: false, because: null });
    expect(next).toMatchObject({ because: ended?.seq });
    expect(namedPids(trace(STRUCK))).toEqual(watch.of("default"));
  });
});

/** Ends the process of the default slot once a trial's object lives in it. */
async function strike(watch: StorageWatch, over: AbortSignal): Promise<void> {
  while (watch.of("default").length === 0) {
    if (over.aborted) return;
    await delay(LOOK_MS);
  }
  const [pid = 0] = watch.of("default");
  while (!openFiles(pid).some((path) => OBJECT.test(path))) {
    if (over.aborted) return;
    await delay(LOOK_MS);
  }
  // By then its journal names the process; the trial waits for its alarm witness for longer.
  await delay(8_000);
  process.kill(pid, "SIGKILL");
}
