/**
 * What whoever runs the trials will want to know of a journal: that it began, which phase the trial is in, that something
 * is asked of the runner, that it ended. Gathered while a transaction appends, told once it is committed.
 */
import type { JournalRecord, Phase } from "../../src/trace/index.ts";
import { isForRunner } from "../../src/trace/resets.ts";

export class News {
  #phase: Phase | null = null;
  #look = false;

  /** Forgets what was gathered by a transaction that was undone. */
  forget(): void {
    this.#phase = null;
    this.#look = false;
  }

  note(record: JournalRecord): void {
    if (record.type === "phase.entered") this.#phase = record.phase;
    if (isWorthALook(record)) this.#look = true;
  }

  /** What there is to tell, or null. */
  take(): { readonly phase: Phase | null; readonly look: boolean } | null {
    const told = { phase: this.#phase, look: this.#look };
    this.forget();
    return told.phase === null && !told.look ? null : told;
  }
}

function isWorthALook(record: JournalRecord): boolean {
  switch (record.type) {
    case "trial.started":
    case "reading.requested":
    case "trial.ended":
      return true;
    case "reset.requested":
      return isForRunner(record.reset);
    default:
      return false;
  }
}
