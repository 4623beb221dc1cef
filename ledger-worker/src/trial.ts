/** One trial as a whole: its configuration, whether it may still record, and its status. */

import { Refusal } from "../../src/link/admission.ts";
import type { RecordType } from "../../src/trace/index.ts";
import { LedgerConfig, type LedgerStatus } from "../../src/trace/protocol/ledger-protocol.ts";
import { heldNow } from "./holds.ts";
import type { Ledger, StoredTrial } from "./ledger.ts";
import { countOf, createTables, firstRow, hasTables } from "./tables.ts";

type TrialRow = { name: string; config: string; ended: string | null };

/** Creates the trial. The same configuration again changes nothing; another one is refused. */
export function configure(ledger: Ledger, trial: string, config: LedgerConfig): void {
  ledger.transact(() => {
    if (!hasTables(ledger.sql)) {
      createTables(ledger.sql, trial, config);
      return;
    }
    // Both texts are written from parsed values, so their fields have the same order.
    if (readTrial(ledger).config !== JSON.stringify(config))
      throw new Refusal("trial-exists", "The trial exists with another configuration.");
  });
}

export function readConfig(ledger: Ledger): LedgerConfig {
  return readTrial(ledger).parsed;
}

/** Read once in the object's life: nobody else writes it. */
export function readTrial(ledger: Ledger): StoredTrial {
  const row =
    ledger.memory.trial === undefined && hasTables(ledger.sql)
      ? firstRow<TrialRow>(ledger.sql, "SELECT name, config, ended FROM trial")
      : undefined;
  if (row !== undefined) ledger.memory.trial = { ...row, parsed: LedgerConfig.parse(JSON.parse(row.config)) };
  if (ledger.memory.trial === undefined)
    throw new Refusal("trial-unknown", "The trial is unknown; create it with PUT /trials/:trial.");
  return ledger.memory.trial;
}

/** Part of the transaction that records the end. */
export function markEnded(ledger: Ledger, reason: string): void {
  ledger.sql.exec("UPDATE trial SET ended = ?", reason);
  ledger.memory.trial = { ...readTrial(ledger), ended: reason };
}

/** Refuses unless the trial is known and its journal still open. */
export function verifyOpen(ledger: Ledger): void {
  if (readTrial(ledger).ended !== null) throw trialEnded();
}

/** Refuses unless the journal is open and begins, as every journal must, with `trial.started`. */
export function verifyStarted(ledger: Ledger): void {
  verifyOpen(ledger);
  if (ledger.journal.head().seq === 0)
    throw new Refusal("trial-not-started", "The first record of a trial must be trial.started.");
}

export function trialEnded(): Refusal {
  return new Refusal("trial-ended", "The trial has ended and its journal is closed.");
}

const RESET_TYPES: readonly RecordType[] = ["reset.requested", "reset.performed", "reset.refused"];
/** The answer's last record ends the wait. */
const READING_TYPES: readonly RecordType[] = ["reading.requested", "snapshot.schema"];

export function readStatus(ledger: Ledger): LedgerStatus {
  const { sql, journal } = ledger;
  const { ended } = readTrial(ledger);
  const head = journal.head();
  const entered = journal.last(["phase.entered"]);
  const reset = journal.last(RESET_TYPES);
  const reading = journal.last(READING_TYPES);
  return {
    records: head.seq,
    head: head.hash,
    phase: entered?.type === "phase.entered" ? entered.phase : null,
    awaitingReset:
      reset?.type === "reset.requested"
        ? { reset: reset.reset, ordinal: reset.ordinal, seq: reset.seq }
        : null,
    awaitingReading: reading?.type === "reading.requested" ? reading.when : null,
    heldNow: heldNow(sql),
    openAttempts: openAttempts(sql),
    attempts: countOf(sql, "SELECT count(*) AS n FROM attempt"),
    effects: countOf(sql, "SELECT count(*) AS n FROM effect"),
    ended,
  };
}

/** Attempts that were neither committed, nor deduplicated, nor rejected. */
export function openAttempts(sql: SqlStorage): number[] {
  return sql
    .exec<{ attempt: number }>("SELECT attempt FROM attempt WHERE stage = 'received' ORDER BY attempt")
    .toArray()
    .map((row) => row.attempt);
}
