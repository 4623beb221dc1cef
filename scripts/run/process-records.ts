/**
 * Writes into trials' journals which processes ran on their storage: when one ended, as the operating system told it, and
 * when another one listened. The journal's clock is the only one, so whoever sees it reports it at once.
 *
 * Leaves to others: seeing it (scripts/local), which trials are concerned (reset-desk.ts, execute.ts).
 */
import { call, type Peer } from "../../src/link/call.ts";
import { hasNoJournal } from "../../src/link/no-journal.ts";
import { ObservationResponse } from "../../src/trace/protocol/controller-protocol.ts";
import type { RecordDraft } from "../../src/trace/records.ts";
import type { ProcessEnd } from "../local/process/subject-process.ts";
import { eachOf } from "./each-of.ts";

/** A trial whose storage the process held, and the record that brought the event about. */
export type Concerned = { readonly trial: string; readonly because: number | null };

export class ProcessRecords {
  readonly #controller: Peer;
  #events = 0;

  constructor(controller: Peer) {
    this.#controller = controller;
  }

  /** `meant`: whoever runs the trials ended it. Resolves with the trials, each with its new record as a cause. */
  ended(trials: readonly Concerned[], end: ProcessEnd, meant: boolean): Promise<Concerned[]> {
    return this.#append(trials, (because) => ({
      source: "cli",
      type: "process.ended",
      ...end,
      meant,
      because,
    }));
  }

  async started(trials: readonly Concerned[], pid: number): Promise<void> {
    await this.#append(trials, (because) => ({ source: "cli", type: "process.started", pid, because }));
  }

  async #append(
    trials: readonly Concerned[],
    draft: (because: number | null) => RecordDraft,
  ): Promise<Concerned[]> {
    this.#events += 1;
    const id = `process:${this.#events}`;
    const written: Concerned[] = [];
    await eachOf(trials, async ({ trial, because }) => {
      const body = { id, records: [draft(because)] };
      try {
        const path = `/trials/${trial}/observations`;
        const { seqs } = await call(this.#controller, "POST", path, ObservationResponse, { body });
        written.push({ trial, because: seqs[0] ?? null });
      } catch (error) {
        if (!hasNoJournal(error)) throw error;
      }
    });
    return written;
  }
}
