/**
 * Performs the resets that only the CLI can: of whole processes, when a wave of trials stands at its barrier, and of
 * single idle objects. Each trial gets its own report; a refusal is reported like a reset. A process that ended without
 * anybody's order is reported too, and started again.
 */
import { call } from "../../src/link/call.ts";
import { hasNoJournal } from "../../src/link/no-journal.ts";
import { AppendResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import type { RecordDraft } from "../../src/trace/records.ts";
import { isForController, isForRunner, type Reset, takesProcess } from "../../src/trace/resets.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { endsProcess, isExecutorReset, targetTraits } from "../../src/trace/targets.ts";
import { EXECUTOR_RESETS } from "../local/container/executor-resets.ts";
import { OBJECT_RESETS } from "../local/process/object-resets.ts";
import type { ProcessResetOrder, ProcessWitness } from "../local/process/process-resets.ts";
import type { ProcessEnd } from "../local/process/subject-process.ts";
import { eachOf } from "./each-of.ts";
import { type Concerned, ProcessRecords } from "./process-records.ts";
import type { Runtime } from "./runtime.ts";

/** One trial that waits for its reset number `ordinal`, which its record `seq` requests. */
export type Waiting = {
  readonly spec: TrialSpec;
  readonly reset: Reset;
  readonly ordinal: number;
  readonly seq: number;
};

export class ResetDesk {
  readonly #runtime: Runtime;
  readonly #onNote: (text: string) => void;
  readonly #signal: AbortSignal;
  readonly #records: ProcessRecords;
  /** Slots without a process since it died, with the report of that. */
  readonly #dead = new Map<string, Promise<Concerned[]>>();
  /** Resets of single objects under way: each may take the runtime's own time limit. */
  readonly #objectResets = new Set<Promise<void>>();
  /**
   * The last process reset of each kind of process, whether under way or over. A server takes its time to come back, and
   * the other slots' trials do not wait for it; workerd processes are started one after the other.
   */
  readonly #resets = new Map<string, Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  /** `signal`: the run is to end, and no reset is put off any more. */
  constructor(runtime: Runtime, onNote: (text: string) => void, signal: AbortSignal) {
    this.#runtime = runtime;
    this.#onNote = onNote;
    this.#signal = signal;
    this.#records = new ProcessRecords(runtime.controller);
  }

  /** Notes which process holds the trials' storage, where that can be told. False when there is none at the moment. */
  async noteProcess(slot: string, trials: readonly string[]): Promise<boolean> {
    const pid = this.#runtime.pidOf(slot);
    if (pid === undefined) return true;
    if (pid !== null) await this.#records.started(withoutCause(trials), pid);
    return pid !== null;
  }

  /** Reports the unordered end of a process under all `trials` and sees to it that it is started again. */
  processDied(slot: string, end: ProcessEnd, trials: readonly string[]): void {
    this.#onNote(
      `the process of slot ${slot}, pid ${end.pid}, ended by itself under ${trials.length} trials`,
    );
    // Not only when its turn has come: the record's time is to be that of the death.
    const reported = this.#records.ended(withoutCause(trials), end, false);
    reported.catch(() => undefined);
    this.#dead.set(slot, reported);
    this.#inLine(slot, () => this.#revive(slot));
  }

  /** Starts the process of a slot again if it had died. */
  async #revive(slot: string): Promise<void> {
    const reported = this.#dead.get(slot);
    if (reported === undefined) return;
    this.#dead.delete(slot);
    const told = await reported;
    const pid = await this.#runtime.startSlot(slot);
    if (pid !== null) await this.#records.started(told, pid);
  }

  /**
   * Sees to it that the process of `slot` is reset under all `waiting` trials at once; each gets its report.
   *
   * @throws what an earlier reset failed with: then the run cannot go on.
   */
  resetProcess(slot: string, waiting: readonly Waiting[]): void {
    this.#throwFailure();
    if (waiting.length === 0) return;
    // One that is put off would keep all that stand behind it waiting, so it has a line of its own.
    const isPutOff = waiting.some(({ spec }) => spec.factors.deferredS !== undefined);
    this.#inLine(slot, () => this.#resetProcess(slot, waiting), isPutOff);
  }

  /** Does `work` after everything that is under way with processes of the slot's kind. */
  #inLine(slot: string, work: () => Promise<void>, isApart = false): void {
    const line = isApart || this.#runtime.isApart(slot) ? slot : "workerd";
    const before = this.#resets.get(line) ?? Promise.resolve();
    const done = before.then(work).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#resets.set(line, done);
  }

  async #resetProcess(slot: string, waiting: readonly Waiting[]): Promise<void> {
    const [first] = waiting;
    if (first === undefined) return;
    // It may have died while this reset waited for its turn.
    await this.#revive(slot);
    const witness = this.#witness(
      waiting.map(({ spec, seq }) => ({ trial: spec.trial, because: seq })),
      // They are lost together: nobody is left to see the one without the other.
      () => this.#endExecutors(waiting),
    );
    const {
      mechanism,
      process,
      error = null,
    } = await this.#runtime.resetSlot(slot, orderOf(first, waiting.length, this.#signal), witness);
    const end = process === null ? "" : `: pid ${process.pid} ended, now pid ${process.nextPid}`;
    this.#onNote(`${first.reset} of slot ${slot} under ${waiting.length} trials${end}`);
    await eachOf(waiting, ({ spec, reset, ordinal }) =>
      this.#report(spec, {
        source: "cli",
        type: "reset.performed",
        reset,
        ordinal,
        mechanism,
        error,
        process,
      }),
    );
  }

  /** Writes down what happens to the process of a reset, each event as the cause of the next. */
  #witness(trials: readonly Concerned[], onEnded: () => Promise<void>): ProcessWitness {
    let concerned = trials;
    return {
      ended: async (end) => {
        const ending = onEnded();
        concerned = await this.#records.ended(concerned, end, true);
        await ending;
      },
      started: (pid) => this.#records.started(concerned, pid),
    };
  }

  /** A trial whose executor is not there lacks the record of its end, and is found invalid. */
  async #endExecutors(waiting: readonly Waiting[]): Promise<void> {
    const both = waiting.filter(({ spec }) => targetTraits(spec.factors).losesExecutor);
    await eachOf(both, ({ spec }) =>
      this.#runtime
        .executorOf(spec.trial)
        .end()
        .catch((error: unknown) => this.#onNote(`${spec.trial}: ${String(error)}`)),
    );
  }

  /** Sees to the reset of one object, or of its executor. Does not wait for it: the runtime may take long to refuse. */
  resetObject(waiting: Waiting): void {
    const reset = this.#resetObject(waiting).catch((error: unknown) =>
      this.#onNote(`${waiting.spec.trial}: ${error}`),
    );
    this.#objectResets.add(reset);
    void reset.finally(() => this.#objectResets.delete(reset));
  }

  /** Resolves when no process reset is under way, so that no process is started any more. */
  async resetsEnded(): Promise<void> {
    await Promise.all(this.#resets.values());
  }

  /** Resolves when nothing is under way. @throws what a reset failed with. */
  async idle(): Promise<void> {
    await Promise.all([...this.#resets.values(), ...this.#objectResets]);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #resetObject({ spec, reset, ordinal }: Waiting): Promise<void> {
    const { mechanism, perform } = this.#performerOf(spec, reset);
    const base = { source: "cli", reset, ordinal, mechanism } as const;
    const error = await perform().then(
      () => null,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    await this.#report(
      spec,
      error === null
        ? { ...base, type: "reset.performed", error: null, process: null }
        : { ...base, type: "reset.refused", error: error.slice(0, 4_000) },
    );
  }

  /** What is done to one object or its executor, in words, and how. */
  #performerOf(
    spec: TrialSpec,
    reset: Reset,
  ): { readonly mechanism: string; readonly perform: () => Promise<void> } {
    if (isExecutorReset(reset) && !isForController(reset) && !endsProcess(spec.factors, reset)) {
      const { mechanism, perform } = EXECUTOR_RESETS[reset];
      return { mechanism, perform: async () => perform(this.#runtime.executorOf(spec.trial)) };
    }
    if (!isForRunner(reset) || takesProcess(reset)) throw new Error(`'${reset}' is no reset of one object`);
    const { mechanism, perform } = OBJECT_RESETS[reset];
    const evict = () => this.#runtime.evict(spec.slot, spec.factors.subject, spec.trial);
    return { mechanism, perform: () => perform({ evict }) };
  }

  /** A trial that waited long enough and ended has no use for it any more. */
  async #report(spec: TrialSpec, record: RecordDraft): Promise<void> {
    try {
      await call(this.#runtime.controller, "POST", `/trials/${spec.trial}/resets`, AppendResponse, {
        body: { record },
      });
    } catch (error) {
      if (!hasNoJournal(error)) throw error;
      this.#onNote(`${spec.trial}: '${record.type}' came after its end`);
    }
  }
}

/** The trials of one slot ask for the same. */
function orderOf({ spec, reset }: Waiting, trials: number, signal: AbortSignal): ProcessResetOrder {
  return { reset, trials, deferredS: spec.factors.deferredS ?? null, signal };
}

function withoutCause(trials: readonly string[]): Concerned[] {
  return trials.map((trial) => ({ trial, because: null }));
}
