/**
 * Writes into a trial's journal when an executor started and ended. Whoever starts and ends it sees it, and says so before
 * anything else happens.
 */
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import { hasNoJournal } from "../../../src/link/no-journal.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { localFetch } from "../process/local-fetch.ts";

type Told = `executor.${"started" | "refused" | "paused" | "resumed" | "ended"}` | "workspace.stored";
type Draft<T extends Told> = Omit<RecordDraft<T>, "source" | "type" | "because">;
export type EndCause = RecordDraft<"executor.ended">["cause"];

export type ExecutorWitness = {
  started(trial: string, what: Draft<"executor.started">): Promise<void>;
  refused(trial: string, what: Draft<"executor.refused">): Promise<void>;
  paused(trial: string, what: Draft<"executor.paused">): Promise<void>;
  resumed(trial: string, what: Draft<"executor.resumed">): Promise<void>;
  ended(trial: string, what: Draft<"executor.ended">): Promise<void>;
  /** `number`: of the snapshots that were asked for in the trial, from 1. */
  stored(trial: string, number: number, what: Draft<"workspace.stored">): Promise<void>;
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

  paused(trial: string, what: Draft<"executor.paused">): Promise<void> {
    return this.#append(trial, `executor-paused:${what.executor}`, {
      source: "cli",
      type: "executor.paused",
      ...what,
      because: null,
    });
  }

  resumed(trial: string, what: Draft<"executor.resumed">): Promise<void> {
    return this.#append(trial, `executor-resumed:${what.executor}`, {
      source: "cli",
      type: "executor.resumed",
      ...what,
      because: null,
    });
  }

  stored(trial: string, number: number, what: Draft<"workspace.stored">): Promise<void> {
    return this.#append(trial, `workspace-stored:${number}`, {
      source: "cli",
      type: "workspace.stored",
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
