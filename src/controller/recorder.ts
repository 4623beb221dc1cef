/**
 * How the phases of a trial act and record: Workflow steps with idempotent journal appends, and bounded waits for
 * journal records.
 *
 * Two kinds of step: `record` and `await…` touch only the ledger and may be repeated; `act` touches the subject and
 * is never retried, because a retry inside a measurement would be an act that nobody ordered.
 */
import type { WorkflowStep } from "cloudflare:workers";
import type { LedgerLink } from "../link/ledger.ts";
import type { SubjectLink } from "../link/subject.ts";
import type { Phase } from "../trace/levels.ts";
import {
  type JournalRecord,
  type RecordDraft,
  RecordDraft as RecordDraftSchema,
  type RecordType,
} from "../trace/records.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { type ControllerEnv, ledgerOf, subjectOf } from "./env.ts";

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

  constructor(env: ControllerEnv, step: WorkflowStep, spec: TrialSpec) {
    this.spec = spec;
    this.ledger = ledgerOf(env, spec.trial);
    this.subject = subjectOf(env, spec);
    this.#step = step;
  }

  /** Appends one record under a name that is unique in the trial. */
  async record(name: string, record: RecordDraft): Promise<void> {
    await this.#step.do(
      `record ${name}`,
      LEDGER_STEP,
      async () => (await this.ledger.append(name, record)).seq,
    );
  }

  enter(phase: Phase): Promise<void> {
    return this.record(`phase:${phase}`, { source: "controller", type: "phase.entered", phase });
  }

  /**
   * Touches the subject once and records what came of it. `act` returns the record to append, so that an outcome
   * (an error included) is written down in the step that saw it.
   */
  async act(name: string, act: () => Promise<RecordDraft>): Promise<RecordDraft> {
    const draft = await this.#step.do(`act ${name}`, SUBJECT_STEP, async () => {
      const observed = await act();
      await this.ledger.append(name, observed);
      // As text, because step results are typed as plain JSON values and a draft is a union of many shapes.
      return JSON.stringify(observed);
    });
    return RecordDraftSchema.parse(JSON.parse(draft));
  }

  /** A step on the ledger alone that leaves no record of its own. */
  async tell(name: string, tell: () => Promise<unknown>): Promise<void> {
    await this.#step.do(`tell ${name}`, LEDGER_STEP, async () => {
      await tell();
      return null;
    });
  }

  sleep(name: string, ms: number): Promise<void> {
    return this.#step.sleep(`sleep ${name}`, ms);
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
    let after = 0;
    let leftMs = boundMs;
    for (let slice = 1; ; slice++) {
      const sliceMs = Math.min(SLICE_MS, Math.max(leftMs, 0));
      const found = await this.#step.do(`await ${name} ${slice}`, LEDGER_STEP, async () => {
        const startedAt = Date.now();
        const { record } = await this.ledger.await(types, after, sliceMs);
        // An empty answer uses up its slice even when it came early: a closed journal answers at once.
        if (record === null) return { record: null, tookMs: sliceMs };
        return { record: JSON.stringify(record), tookMs: Date.now() - startedAt };
      });
      leftMs -= found.tookMs;
      if (found.record !== null) {
        const record = JSON.parse(found.record) as JournalRecord<T>;
        if (accept(record)) return record;
        after = record.seq;
      }
      if (leftMs <= 0) {
        await this.record(`expired:${name}`, {
          source: "controller",
          type: "wait.expired",
          waitedFor: name,
          boundMs,
        });
        return null;
      }
    }
  }
}

/** The text of whatever was thrown, cut to what a record may hold. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 4_000);
}
