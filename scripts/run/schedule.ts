/**
 * Which trials run together. Trials without a process reset flow through their slot one by one; trials that share a
 * process reset run in waves, because the process is reset under all of them at once.
 *
 * Pure: the executor asks what to start and when to reset.
 */
import { plannedResets } from "../../src/trace/resets.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { endsProcess } from "../../src/trace/targets.ts";
import { fitting } from "./admission.ts";

/** What became of a started trial, as far as scheduling is concerned. */
type TrialStage = "running" | "awaiting-reset" | "being-reset" | "ended";

/** Whether the trials of a slot share the fate of its process. */
export function runInWaves(specs: readonly TrialSpec[]): boolean {
  return specs.some(({ factors }) => plannedResets(factors).some((reset) => endsProcess(factors, reset)));
}

export class SlotSchedule {
  readonly slot: string;
  readonly #concurrency: number;
  readonly #waves: boolean;
  readonly #queue: TrialSpec[];
  /** What is left to start of the wave that the process holds. */
  #wave: TrialSpec[] = [];
  readonly #started = new Map<string, TrialStage>();
  readonly #waitsFor = new Map<string, number>();
  /** The last reset of each trial that was handed out. */
  readonly #handedOut = new Map<string, number>();

  constructor(slot: string, specs: readonly TrialSpec[], concurrency: number) {
    this.slot = slot;
    this.#concurrency = concurrency;
    this.#queue = [...specs];
    this.#waves = runInWaves(specs);
  }

  get queued(): number {
    return this.#queue.length + this.#wave.length;
  }

  get finished(): boolean {
    return this.queued === 0 && this.#open().length === 0;
  }

  /** `ordinal` is the reset that an `awaiting-reset` trial waits for. */
  note(trial: string, stage: TrialStage, ordinal = 0): void {
    // Until the reset is reported, the journal still says that the trial waits for it.
    if (stage === "awaiting-reset" && this.#handedOut.get(trial) === ordinal) return;
    if (stage === "awaiting-reset") this.#waitsFor.set(trial, ordinal);
    this.#started.set(trial, stage);
  }

  /**
   * Takes the trials to start now off the queue: those that are next, and no more than there is room for (admission.ts), given
   * as how many each counts.
   */
  takeNext(room = Number.POSITIVE_INFINITY, weightOf: (spec: TrialSpec) => number = () => 1): TrialSpec[] {
    const open = this.#open().length;
    // A wave starts only when the process holds nothing else: its reset must hit this wave and no other trial.
    if (this.#waves && open === 0 && this.#wave.length === 0)
      this.#wave = this.#queue.splice(0, this.#concurrency);
    const waiting = this.#waves ? this.#wave : this.#queue.slice(0, Math.max(0, this.#concurrency - open));
    const next = (this.#waves ? this.#wave : this.#queue).splice(0, fitting(waiting.map(weightOf), room));
    for (const spec of next) this.#started.set(spec.trial, "running");
    return next;
  }

  /** The trials to reset now: the whole wave was started, and what is still open of it waits. Empty while one is on its way. */
  takeBarrier(): string[] {
    if (!this.#waves || this.#wave.length > 0) return [];
    const open = this.#open();
    if (open.length === 0 || open.some(([, stage]) => stage !== "awaiting-reset")) return [];
    return this.#handOut(open);
  }

  /** The trials of a slot without waves that wait for something only the CLI can do to their object. */
  takeSingles(): string[] {
    if (this.#waves) return [];
    const waiting = this.#open().filter(([, stage]) => stage === "awaiting-reset");
    return this.#handOut(waiting);
  }

  #handOut(trials: readonly [string, TrialStage][]): string[] {
    return trials.map(([trial]) => {
      this.#started.set(trial, "being-reset");
      this.#handedOut.set(trial, this.#waitsFor.get(trial) ?? 0);
      return trial;
    });
  }

  #open(): [string, TrialStage][] {
    return [...this.#started].filter(([, stage]) => stage !== "ended");
  }
}
