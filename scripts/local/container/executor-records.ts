/**
 * Writes into a trial's journal when an executor started and ended. Whoever starts and ends it sees it, and says so before
 * anything else happens.
 */
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import { hasNoJournal } from "../../../src/link/no-journal.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { localFetch } from "../process/local-fetch.ts";

type Draft<T extends "executor.started" | "executor.refused" | "executor.ended"> = Omit<
  RecordDraft<T>,
  "source" | "type" | "because"
>;
export type EndCause = RecordDraft<"executor.ended">["cause"];

export type ExecutorWitness = {
  started(trial: string, what: Draft<"executor.started">): Promise<void>;
  refused(trial: string, what: Draft<"executor.refused">): Promise<void>;
  ended(trial: string, what: Draft<"executor.ended">): Promise<void>;
};

export class ExecutorRecords implements ExecutorWitness {
  readonly #ledger: { readonly url: string; readonly secret: string };

  constructor(ledger: { readonly url: string; readonly secret: string }) {
    this.#ledger = ledger;
  }

  started(trial: string, what: Draft<"executor.started">): Promise<void> {
    return this.#append(trial, `executor-started:${what.executor}:${what.pid}`, {
      source: "cli",
      type: "executor.started",
      ...what,
      because: null,
    });
  }

  refused(trial: string, what: Draft<"executor.refused">): Promise<void> {
    return this.#append(trial, `executor-refused:${what.start}`, {
      source: "cli",
      type: "executor.refused",
      ...what,
      because: null,
    });
  }

  ended(trial: string, what: Draft<"executor.ended">): Promise<void> {
    // Nobody waits for the records of a run that is over.
    if (what.cause === "cleared-away") return Promise.resolve();
    return this.#append(trial, `executor-ended:${what.executor}:${what.pid}`, {
      source: "cli",
      type: "executor.ended",
      ...what,
      because: null,
    });
  }

  async #append(trial: string, id: string, record: RecordDraft): Promise<void> {
    const { url: base, secret } = this.#ledger;
    try {
      await new LedgerLink({ fetch: localFetch, base, secret }, trial).append(id, record);
    } catch (error) {
      if (!hasNoJournal(error)) throw error;
    }
  }
}
