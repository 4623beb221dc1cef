/**
 * Which trials run together. Trials without a process reset flow through their slot one by one; trials that share a
 * process reset run in waves, because the process is reset under all of them at once.
 *
 * Pure: the executor asks what to start and when to reset.
 */
import { PROCESS_RESETS } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";

/** What became of a started trial, as far as scheduling is concerned. */
export type TrialStage = "running" | "awaiting-reset" | "ended";

export class SlotSchedule {
  readonly slot: string;
  readonly #concurrency: number;
  readonly #waves: boolean;
  readonly #queue: TrialSpec[];
  readonly #started = new Map<string, TrialStage>();

  constructor(slot: string, specs: readonly TrialSpec[], concurrency: number) {
    this.slot = slot;
    this.#concurrency = concurrency;
    this.#queue = [...specs];
    this.#waves = specs.some((spec) => PROCESS_RESETS.includes(spec.factors.reset));
  }

  get queued(): number {
    return this.#queue.length;
  }

  get finished(): boolean {
    return this.#queue.length === 0 && this.#open().length === 0;
  }

  note(trial: string, stage: TrialStage): void {
    this.#started.set(trial, stage);
  }

  /** Takes the trials to start now off the queue. */
  takeNext(): TrialSpec[] {
    const open = this.#open().length;
    // A wave starts only when the process holds nothing else: its reset must hit this wave and no other trial.
    const room = this.#waves ? (open === 0 ? this.#concurrency : 0) : this.#concurrency - open;
    const next = this.#queue.splice(0, Math.max(0, room));
    for (const spec of next) this.#started.set(spec.trial, "running");
    return next;
  }

  /** The trials to reset now: every trial that is still open waits for it. Empty while one is on its way. */
  takeBarrier(): string[] {
    if (!this.#waves) return [];
    const open = this.#open();
    if (open.length === 0 || open.some(([, stage]) => stage !== "awaiting-reset")) return [];
    for (const [trial] of open) this.#started.set(trial, "running");
    return open.map(([trial]) => trial);
  }

  #open(): [string, TrialStage][] {
    return [...this.#started].filter(([, stage]) => stage !== "ended");
  }
}
