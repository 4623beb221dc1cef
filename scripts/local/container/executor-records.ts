/**
 * Writes into a trial's journal when an executor started and ended. Whoever starts and ends it sees it, and says so before
 * anything else happens.
 */
import { LedgerLink } from "../../../src/link/ledger-link.ts";
import { hasNoJournal } from "../../../src/link/no-journal.ts";
import type { RecordDraft } from "../../../src/trace/records.ts";
import { localFetch } from "../process/local-fetch.ts";

type Told =
  | `executor.${"started" | "refused" | "paused" | "resumed" | "ended"}`
  | `workspace.${"stored" | "cleared"}`;
type Draft<T extends Told> = Omit<RecordDraft<T>, "source" | "type" | "because">;
export type EndCause = RecordDraft<"executor.ended">["cause"];

export type ExecutorWitness = {
  started(trial: string, what: Draft<"executor.started">): Promise<void>;
  refused(trial: string, what: Draft<"executor.refused">): Promise<void>;
  paused(trial: string, what: Draft<"executor.paused">): Promise<void>;
  resumed(trial: string, what: Draft<"executor.resumed">): Promise<void>;
  ended(trial: string, what: Draft<"executor.ended">): Promise<void>;
  /** `number`: how many snapshots had been asked for by then. */
  cleared(trial: string, number: number, what: Draft<"workspace.cleared">): Promise<void>;
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
      type: "executor.started",
      ...what,
    });
  }

  refused(trial: string, what: Draft<"executor.refused">): Promise<void> {
    return this.#append(trial, `executor-refused:${what.start}`, { type: "executor.refused", ...what });
  }

  paused(trial: string, what: Draft<"executor.paused">): Promise<void> {
    return this.#append(trial, `executor-paused:${what.executor}`, { type: "executor.paused", ...what });
  }

  resumed(trial: string, what: Draft<"executor.resumed">): Promise<void> {
    return this.#append(trial, `executor-resumed:${what.executor}`, { type: "executor.resumed", ...what });
  }

  stored(trial: string, number: number, what: Draft<"workspace.stored">): Promise<void> {
    return this.#append(trial, `workspace-stored:${number}`, { type: "workspace.stored", ...what });
  }

  cleared(trial: string, number: number, what: Draft<"workspace.cleared">): Promise<void> {
    return this.#append(trial, `workspace-cleared:${number}`, { type: "workspace.cleared", ...what });
  }

  ended(trial: string, what: Draft<"executor.ended">): Promise<void> {
    // Nobody waits for the records of a run that is over.
    if (what.cause === "cleared-away") return Promise.resolve();
    return this.#append(trial, `executor-ended:${what.executor}:${what.pid}`, {
      type: "executor.ended",
      ...what,
    });
  }

  async #append(
    trial: string,
    id: string,
    told: { [T in Told]: { type: T } & Draft<T> }[Told],
  ): Promise<void> {
    const { url: base, secret } = this.#ledger;
    try {
      await new LedgerLink({ fetch: localFetch, base, secret }, trial).append(id, {
        source: "cli",
        ...told,
        because: null,
      });
    } catch (error) {
      if (!hasNoJournal(error)) throw error;
    }
  }
}
