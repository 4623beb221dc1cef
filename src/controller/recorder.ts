/**
 * How the phases of a trial act and record: Workflow steps, appends that are made once, bounded waits for journal records.
 *
 * A step is what belongs to one moment of the trial. The engine runs a step again from its start when the controller was
 * lost in the middle of it. Then what is recorded already is not done again (`act`), and every append has an id, so that it
 * is recorded once. No step is repeated because of an error: a retry inside a measurement would be an act that nobody
 * ordered. Only calls of the ledger are, since they change nothing the second time.
 *
 * Records of one moment go to the journal together. They stand there before anything is done that another party could
 * record after them: before the next act, before any wait, and at the end of the step.
 */
import type { WorkflowStep } from "cloudflare:workers";
import { PeerError } from "../link/call.ts";
import type { LedgerLink } from "../link/ledger-link.ts";
import { ownerKey } from "../link/owner-key.ts";
import type { SubjectLink } from "../link/subject-link.ts";
import type { Phase } from "../trace/levels.ts";
import { APPEND_LIST_MAX, type AppendRequest } from "../trace/protocol/ledger-protocol.ts";
import {
  type JournalRecord,
  type RecordDraft,
  RecordDraft as RecordDraftSchema,
  type RecordType,
} from "../trace/records.ts";
import type { TrialSpec } from "../trace/spec.ts";
import { type ControllerEnv, ledgerOf, subjectOf } from "./controller-env.ts";
import { TrialEnd } from "./trial-end.ts";
import { workDone } from "./work-done.ts";

/** Longest single look at the journal, in ms: below the ledger's own limit. */
const SLICE_MS = 15_000;
/** How long one act may take, in ms: a subject that never answers is an error of the trial. */
const ACT_MS = 120_000;
/** Longer than the waits of any step together, in ms. */
const STEP = { retries: { limit: 0, delay: 0 }, timeout: 1_800_000 } as const;
/** How often a call of the ledger is tried that fails on its way, and how long to wait in between, in ms. */
const LEDGER_TRIES = 4;
const LEDGER_PAUSE_MS = 500;
/** Records that are longer together go one by one: well below the largest body that the ledger takes. */
const LIST_LENGTH_MAX = 300_000;

/** The journal's view of the wait: the record, or null when the bound ran out. */
type Found<T extends RecordType> = JournalRecord<T> | null;

/** A step's result as the engine keeps it, in JSON. */
type StepResult<T> = { readonly value: T } | { readonly end: Pick<TrialEnd, "reason" | "detail"> };

export class Recorder {
  readonly spec: TrialSpec;
  readonly ledger: LedgerLink;
  readonly subject: SubjectLink;
  readonly #env: ControllerEnv;
  readonly #step: WorkflowStep;
  /** To be appended next, in this order. */
  #pending: AppendRequest[] = [];
  #isRepeated = false;

  constructor(env: ControllerEnv, step: WorkflowStep, spec: TrialSpec) {
    this.spec = spec;
    this.ledger = ledgerOf(env, spec.trial);
    this.subject = subjectOf(env, spec);
    this.#env = env;
    this.#step = step;
  }

  /** The object of an owner: that of the trial, or one beside it, which has no journal. */
  subjectOf(owner: string): SubjectLink {
    return owner === this.spec.trial ? this.subject : subjectOf(this.#env, { ...this.spec, trial: owner });
  }

  /** By which an owner is known to whatever runs the containers. */
  keyOf(owner: string): string {
    return ownerKey(this.#env.KIT_SECRET ?? "", owner);
  }

  /** One Workflow step. All other methods but `rest` are for the work within one. @throws TrialEnd as the work does. */
  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done: string = await this.#step.do(name, STEP, async ({ attempt }) => {
      workDone.steps += 1;
      this.#isRepeated = attempt > 1;
      return JSON.stringify(await this.#resultOf(work));
    });
    const result = JSON.parse(done) as StepResult<T>;
    if ("end" in result) throw new TrialEnd(result.end.reason, result.end.detail);
    return result.value;
  }

  /** An error's class does not survive the engine, so a trial's end is a result of the step. */
  async #resultOf<T>(work: () => Promise<T>): Promise<StepResult<T>> {
    try {
      const value = await work();
      await this.flush();
      return { value };
    } catch (error) {
      if (!(error instanceof TrialEnd)) throw error;
      await this.flush();
      return { end: { reason: error.reason, detail: error.detail } };
    } finally {
      this.#pending = [];
    }
  }

  /** Whether the step under way was begun before, by a controller that was lost: what it did may have been done already. */
  get isRepeated(): boolean {
    return this.#isRepeated;
  }

  /** Sleeps between two steps, as long as the engine likes to be without work. */
  async rest(name: string, ms: number): Promise<void> {
    if (ms <= 0) return;
    workDone.steps += 1;
    await this.#step.sleep(name, ms);
  }

  /** Appends one record, under a name that is unique in the trial, after all that was noted. Resolves with its `seq`. */
  async record(name: string, record: RecordDraft): Promise<number> {
    this.note(name, record);
    return this.flush();
  }

  /** Has a record appended with the next ones. */
  note(name: string, record: RecordDraft): void {
    this.#pending.push({ id: name, record });
  }

  /** Notes that a phase begins. */
  enter(phase: Phase): void {
    this.note(`phase:${phase}`, { source: "controller", type: "phase.entered", phase });
  }

  /** Appends what was noted. Resolves with the `seq` of the last of it, or 0 where there was nothing. */
  async flush(): Promise<number> {
    const pending = this.#pending;
    this.#pending = [];
    let seq = 0;
    for (const records of listsOf(pending)) {
      const { answers } = await this.tell(() => this.ledger.appendAll(records));
      seq = answers.at(-1)?.seq ?? seq;
    }
    return seq;
  }

  /**
   * Touches the subject once and notes what came of it. `act` returns the record, so that an outcome (an error included) is
   * written down by whoever saw it. What an earlier controller did and recorded is not done again.
   */
  async act(name: string, act: () => Promise<RecordDraft>): Promise<RecordDraft> {
    await this.flush();
    return this.read(name, act);
  }

  /** An act that only reads, and so need not wait until what was noted before it is in the journal. */
  async read(name: string, read: () => Promise<RecordDraft>): Promise<RecordDraft> {
    const earlier = this.#isRepeated ? await this.tell(() => this.ledger.recorded(name)) : null;
    if (earlier !== null) return draftOf(earlier);
    const draft = await within(ACT_MS, name, read());
    this.note(name, draft);
    return draft;
  }

  /** Calls the ledger, after what was noted, with something that changes nothing when it is said again. */
  async tell<T>(tell: () => Promise<T>): Promise<T> {
    if (this.#pending.length > 0) await this.flush();
    for (let tries = 1; ; tries++) {
      try {
        return await tell();
      } catch (error) {
        const isRefused = error instanceof PeerError && error.status < 500;
        if (isRefused || tries === LEDGER_TRIES) throw error;
        await scheduler.wait(LEDGER_PAUSE_MS);
      }
    }
  }

  /** Waits within a step. */
  async pause(ms: number): Promise<void> {
    await this.flush();
    if (ms > 0) await scheduler.wait(ms);
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
    const found = await this.watch(types, 0, boundMs, accept);
    if (found !== null) return found;
    await this.record(`expired:${name}`, {
      source: "controller",
      type: "wait.expired",
      waitedFor: name,
      boundMs,
    });
    return null;
  }

  /** The first record of one of `types` after `after` that `accept` takes, if there is one by now. */
  find<T extends RecordType>(
    types: readonly T[],
    after: number,
    accept: (record: JournalRecord<T>) => boolean = () => true,
  ): Promise<Found<T>> {
    return this.watch(types, after, 0, accept);
  }

  /** The same, once it comes; null, and no record of that, when none came within `forMs`. */
  async watch<T extends RecordType>(
    types: readonly T[],
    after: number,
    forMs: number,
    accept: (record: JournalRecord<T>) => boolean = () => true,
  ): Promise<Found<T>> {
    const deadline = Date.now() + forMs;
    for (let from = after; ; ) {
      const leftMs = Math.max(0, deadline - Date.now());
      const { record } = await this.tell(() => this.ledger.await(types, from, Math.min(leftMs, SLICE_MS)));
      const candidate = record as Found<T>;
      if (candidate !== null && accept(candidate)) return candidate;
      if (candidate !== null) from = candidate.seq;
      else if (leftMs <= SLICE_MS) return null;
    }
  }
}

/** Splits what is too much for one request. */
function listsOf(records: readonly AppendRequest[]): AppendRequest[][] {
  const lists: AppendRequest[][] = [];
  let length = 0;
  for (const record of records) {
    const own = JSON.stringify(record).length;
    const list = lists.at(-1);
    length += own;
    if (list !== undefined && list.length < APPEND_LIST_MAX && length <= LIST_LENGTH_MAX) list.push(record);
    else {
      lists.push([record]);
      length = own;
    }
  }
  return lists;
}

function draftOf({ seq: _seq, at: _at, prev: _prev, ...draft }: JournalRecord): RecordDraft {
  return RecordDraftSchema.parse(draft);
}

async function within<T>(boundMs: number, name: string, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([
      work,
      scheduler.wait(boundMs, { signal: over.signal }).then(() => {
        throw new Error(`'${name}' took longer than ${boundMs} ms`);
      }),
    ]);
  } finally {
    over.abort();
  }
}

/** The text of whatever was thrown, cut to what a record may hold. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 4_000);
}
