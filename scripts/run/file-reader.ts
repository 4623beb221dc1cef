/**
 * Reads a trial's storage from copies of its files and reports it to the journal, when the trial asks for it: at the end of
 * the quiet interval, and instead of the last reading when the object never came back. Touches nothing. What is owed is
 * reported first; the schema comes last and ends the trial's wait, so it is reported whatever could not be read.
 */

import { z } from "zod";
import { subjectTraits } from "../../src/harnesses/index.ts";
import { call, type Peer, send } from "../../src/link/call.ts";
import { ObservationResponse } from "../../src/trace/protocol/controller-protocol.ts";
import type { RecordDraft } from "../../src/trace/records.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { databasePath, inspectObjectFile, readAlarm, type StoredObject } from "../local/files/offline.ts";
import { lookAtServer } from "../local/server/look-at-server.ts";
import { eachOf } from "./each-of.ts";
import type { Runtime } from "./runtime.ts";

/** The first activation and the first submission are among the first records of every trial. */
const FIRST_RECORDS = 40;
/** Well below the largest body that the controller takes, whatever a character takes in bytes. */
const REPORT_LENGTH_MAX = 300_000;
const Activated = z.object({ type: z.literal("subject.activated"), object: z.string() });
const Submitted = z.object({ type: z.literal("operation.submitted"), session: z.string() });

export type When = RecordDraft<"snapshot.jobs">["when"];
/** A trial that waits for a reading. */
type WantedReading = { readonly spec: TrialSpec; readonly when: When };

/** Where a trial's object and its session lie. */
type Place = { readonly object: string; readonly session: string };

export class FileReader {
  readonly #runtime: Runtime;
  readonly #onNote: (text: string) => void;
  /** By trial, as far as they were asked for. */
  readonly #places = new Map<string, Promise<Place>>();
  /** Readings that were begun; each is made once. */
  readonly #begun = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(runtime: Runtime, onNote: (text: string) => void) {
    this.#runtime = runtime;
    this.#onNote = onNote;
  }

  /** Finds out where trials keep their objects, ahead of the readings: many of them come together. */
  locate(specs: readonly TrialSpec[]): void {
    if (this.#runtime.files === null) return;
    const fresh = specs.filter(
      ({ trial, factors }) => !this.#places.has(trial) && runs(factors) === "object",
    );
    void eachOf(fresh, async ({ trial }) => void (await this.#placeOf(trial).catch(() => undefined)));
  }

  /** Sees to the readings. Does not wait for them. */
  read(wanted: readonly WantedReading[]): void {
    const fresh = wanted.filter(({ spec, when }) => !this.#begun.has(`${spec.trial}:${when}`));
    for (const { spec, when } of fresh) this.#begun.add(`${spec.trial}:${when}`);
    const reading = eachOf(fresh, (one) => this.#readOne(one));
    this.#underWay.add(reading);
    void reading.finally(() => this.#underWay.delete(reading));
  }

  /** Resolves when no reading is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #readOne({ spec, when }: WantedReading): Promise<void> {
    try {
      const drafts = await this.#draftsOf(spec, when).catch((error: unknown) => nothingRead(when, error));
      const path = `/trials/${spec.trial}/observations`;
      for (const [index, records] of reportsOf(drafts).entries()) {
        const body = { id: `${when}:${index}`, records };
        await call(this.#runtime.controller, "POST", path, ObservationResponse, { body });
      }
    } catch (error) {
      this.#onNote(`${spec.trial}: a reading of its files was not reported: ${String(error)}`);
    }
  }

  async #draftsOf(spec: TrialSpec, when: When): Promise<RecordDraft[]> {
    const { files } = this.#runtime;
    if (files === null) throw new Error("nothing but the object itself can read what is stored there");
    if (runs(spec.factors) === "command") return nothingOwed(when);
    if (runs(spec.factors) === "process")
      return await lookAtServer(files.storedSession(spec.slot, spec.trial), when);
    const place = await this.#placeOf(spec.trial);
    const object = files.storedObject(spec.slot, spec.factors.subject, place.object);
    const isKnown = subjectTraits(spec.factors.subject).storedSession !== "unknown";
    return await readObject(object, isKnown ? place.session : null, when);
  }

  #placeOf(trial: string): Promise<Place> {
    const known = this.#places.get(trial);
    if (known !== undefined) return known;
    const place = findPlace(this.#runtime.controller, trial);
    this.#places.set(trial, place);
    // Asked once more where it could not be told.
    place.catch(() => this.#places.delete(trial));
    return place;
  }
}

function runs({ subject }: TrialSpec["factors"]) {
  return subjectTraits(subject).runs;
}

/** A command has no alarm, and how it keeps its state is its own affair: there is nothing to read. */
function nothingOwed(when: When): RecordDraft[] {
  const base = { source: "cli", how: "offline", when, error: null } as const;
  return [
    { ...base, type: "snapshot.jobs", jobs: [], claims: [], alarmAt: null, alarmUnknown: false },
    { ...base, type: "snapshot.schema", tables: [], indexes: [] },
  ];
}

/** `sessionId`: null where nobody knows which of the sessions in it is meant. */
async function readObject(
  object: StoredObject,
  sessionId: string | null,
  when: When,
): Promise<RecordDraft[]> {
  const [{ jobs, schema, session }, alarm] = await Promise.all([
    inspectObjectFile(databasePath(object), sessionId ?? ""),
    readAlarm(object),
  ]);
  const base = { source: "cli", how: "offline", when } as const;
  const errors = [jobs.error, alarm.error].filter((text) => text !== null);
  const owed: RecordDraft = {
    ...base,
    type: "snapshot.jobs",
    jobs: jobs.jobs,
    claims: jobs.claims,
    alarmAt: alarm.alarmAt,
    alarmUnknown: alarm.alarmUnknown,
    ...(jobs.notes === undefined ? {} : { notes: jobs.notes }),
    error: errors.length === 0 ? null : errors.join("; ").slice(0, 4_000),
  };
  const tables: RecordDraft = { ...base, type: "snapshot.schema", ...schema };
  if (session === null || sessionId === null) return [owed, tables];
  const log: RecordDraft = {
    ...base,
    type: "snapshot.log",
    session: sessionId,
    offered: true,
    after: null,
    ...session.log,
  };
  const transcript: RecordDraft = {
    ...base,
    type: "snapshot.transcript",
    session: sessionId,
    ...session.transcript,
    pending: [],
  };
  return [owed, log, transcript, tables];
}

/** @throws when the trial has not got so far. */
async function findPlace(controller: Peer, trial: string): Promise<Place> {
  const page = await send(controller, "GET", `/trials/${trial}/journal?after=0&limit=${FIRST_RECORDS}`);
  const records = (await page.text())
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  const first = <T>(schema: z.ZodType<T>) =>
    records.flatMap((record) => schema.safeParse(record).data ?? []).at(0);
  const activated = first(Activated);
  const submitted = first(Submitted);
  if (activated === undefined) throw new Error("no activation of the object is recorded");
  if (submitted === undefined) throw new Error("no submission to the object is recorded");
  return { object: activated.object, session: submitted.session };
}

/** One report costs least; records that are too large together go one by one. */
function reportsOf(drafts: readonly RecordDraft[]): (readonly RecordDraft[])[] {
  return JSON.stringify(drafts).length < REPORT_LENGTH_MAX ? [drafts] : drafts.map((draft) => [draft]);
}

/** The answer when nothing could be read at all. */
function nothingRead(when: When, thrown: unknown): RecordDraft[] {
  const error = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 4_000);
  const base = { source: "cli", how: "offline", when, error } as const;
  return [
    { ...base, type: "snapshot.jobs", jobs: [], claims: [], alarmAt: null, alarmUnknown: true },
    { ...base, type: "snapshot.schema", tables: [], indexes: [] },
  ];
}
