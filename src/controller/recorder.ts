/**
 * How the phases of a trial act and record: Workflow steps with idempotent journal appends, and bounded waits for
 * journal records.
 *
 * Two kinds of step: `record` and `await…` touch only the ledger and may be repeated; `act` touches the subject and
 * is never retried, because a retry inside a measurement would be an act that nobody ordered.
 */
import type { WorkflowStep, WorkflowStepConfig } from "cloudflare:workers";
import type { LedgerLink } from "../link/ledger-link.ts";
import type { SubjectLink } from "../link/subject-link.ts";
import type { Phase } from "../trace/levels.ts";
import {
  type JournalRecord,
  type RecordDraft,
  RecordDraft as RecordDraftSchema,
  type RecordType,
} from "../trace/records.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { type ControllerEnv, ledgerOf, subjectOf } from "./controller-env.ts";
import { workDone } from "./work-done.ts";

/** Longest single look at the journal, in ms: below the ledger's own limit, short enough to replay cheaply. */
const SLICE_MS = 15_000;
const LEDGER_STEP = { retries: { limit: 3, delay: 500 }, timeout: 60_000 } as const;
const SUBJECT_STEP = { retries: { limit: 0, delay: 0 }, timeout: 120_000 } as const;

/** The journal's view of the wait: the record, or null when the bound ran out (which is then recorded). */
type Found<T extends RecordType> = JournalRecord<T> | null;

export class Recorder {
  readonly spec: TrialSpec;
  readonly ledger: LedgerLink;
  readonly subject: SubjectLink;
  readonly #step: WorkflowStep;
  /** The phase whose record is still to be appended. */
  #entering: Phase | null = null;
  /** Whether a step is under way whose parts need no steps of their own. */
  #inStep = false;

  constructor(env: ControllerEnv, step: WorkflowStep, spec: TrialSpec) {
    this.spec = spec;
    this.ledger = ledgerOf(env, spec.trial);
    this.subject = subjectOf(env, spec);
    this.#step = step;
  }

  /** Appends one record under a name that is unique in the trial. Resolves with its `seq`. */
  record(name: string, record: RecordDraft): Promise<number> {
    return this.#do(`record ${name}`, LEDGER_STEP, async () => (await this.ledger.append(name, record)).seq);
  }

  /** Notes that a phase begins. Its record is appended by the next step, before anything else that step does. */
  enter(phase: Phase): void {
    this.#entering = phase;
  }

  /**
   * Touches the subject once and records what came of it. `act` returns the record to append, so that an outcome
   * (an error included) is written down in the step that saw it.
   */
  async act(name: string, act: () => Promise<RecordDraft>): Promise<RecordDraft> {
    const draft = await this.#do(`act ${name}`, SUBJECT_STEP, async () => {
      const observed = await act();
      await this.ledger.append(name, observed);
      // As text, because step results are typed as plain JSON values and a draft is a union of many shapes.
      return JSON.stringify(observed);
    });
    return RecordDraftSchema.parse(JSON.parse(draft));
  }

  /** Does something to the ledger that leaves no record of its own. */
  async tell(name: string, tell: () => Promise<unknown>): Promise<void> {
    await this.#do(`tell ${name}`, LEDGER_STEP, async () => {
      await tell();
      return null;
    });
  }

  /**
   * Makes one step of several acts and records, which saves most of what a step costs. After the controller was lost in
   * the middle of it, all of it runs again, and every append is still recorded once.
   */
  async together(name: string, work: () => Promise<void>): Promise<void> {
    await this.#do(`together ${name}`, SUBJECT_STEP, async () => {
      this.#inStep = true;
      try {
        await work();
        return null;
      } finally {
        this.#inStep = false;
      }
    });
  }

  async sleep(name: string, ms: number): Promise<void> {
    if (this.#entering !== null) await this.tell(`before ${name}`, async () => undefined);
    workDone.steps += 1;
    await this.#step.sleep(`sleep ${name}`, ms);
  }

  /**
   * Waits until the journal has a record of one of `types` that `accept` takes, looking from the trial's start.
   * When `boundMs` runs out it records `wait.expired` and returns null.
   */
  async awaitRecord<T extends RecordType>(
    name: string,
    types: readonly T[],
    boundMs: number,
    accept: (record: JournalRecord<T>) => boolean = () => true,
  ): Promise<Found<T>> {
    for (let leftMs = boundMs, slice = 1; ; slice++) {
      const sliceMs = Math.min(SLICE_MS, Math.max(leftMs, 0));
      const found = await this.#do(`await ${name} ${slice}`, LEDGER_STEP, async () => {
        const record = await this.#firstAccepted(types, sliceMs, accept);
        return record === null ? null : JSON.stringify(record);
      });
      if (found !== null) return JSON.parse(found) as JournalRecord<T>;
      leftMs -= sliceMs;
      if (leftMs <= 0) break;
    }
    const expired = { source: "controller", type: "wait.expired", waitedFor: name, boundMs } as const;
    await this.record(`expired:${name}`, expired);
    return null;
  }

  /** The first record of one of `types` after `after` that `accept` takes, if there is one by now. */
  async find<T extends RecordType>(
    name: string,
    types: readonly T[],
    after: number,
    accept: (record: JournalRecord<T>) => boolean = () => true,
  ): Promise<Found<T>> {
    const found = await this.#do(`find ${name}`, LEDGER_STEP, async () => {
      const record = await this.#firstAccepted(types, 0, (one) => one.seq > after && accept(one));
      return record === null ? null : JSON.stringify(record);
    });
    return found === null ? null : (JSON.parse(found) as JournalRecord<T>);
  }

  async #firstAccepted<T extends RecordType>(
    types: readonly T[],
    forMs: number,
    accept: (record: JournalRecord<T>) => boolean,
  ): Promise<Found<T>> {
    const deadline = Date.now() + forMs;
    for (let after = 0; ; ) {
      const { record } = await this.ledger.await(types, after, Math.max(0, deadline - Date.now()));
      // Nothing came in time, or the journal is closed and nothing can come any more.
      if (record === null) return null;
      const candidate = record as JournalRecord<T>;
      if (accept(candidate)) return candidate;
      after = record.seq;
    }
  }

  /** One Workflow step, or, within a step that is under way, just the work. */
  async #do<T extends Rpc.Serializable<T>>(
    name: string,
    config: WorkflowStepConfig,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.#inStep) {
      await this.#recordEntry();
      return work();
    }
    const done: T = await this.#step.do(name, config, async () => {
      workDone.steps += 1;
      await this.#recordEntry();
      return work();
    });
    return done;
  }

  async #recordEntry(): Promise<void> {
    const phase = this.#entering;
    if (phase === null) return;
    await this.ledger.append(`phase:${phase}`, { source: "controller", type: "phase.entered", phase });
    this.#entering = null;
  }
}

/** The text of whatever was thrown, cut to what a record may hold. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 4_000);
}
