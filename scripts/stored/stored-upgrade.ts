/** A stored run of `upgrade`, with what its traces say of storage and logs. */

import type { UpgradeRun } from "../../src/summarize/compare-upgrade.ts";
import type { Stored } from "../../src/summarize/stored-changes.ts";
import { wayOf } from "../../src/summarize/upgrade-ways.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { type JournalRecord, ofType } from "../../src/trace/records.ts";
import type { JudgedRun } from "./judge-run.ts";
import { readTrace } from "./read-trace.ts";

/** Null when the run is none of `upgrade`, or has no trial under one of its sets. */
export function upgradeRunOf(
  judged: JudgedRun,
  traceAt: (path: string) => ParsedTrace = readTrace,
): UpgradeRun | null {
  const forward = judged.trials.find(({ spec }) => spec !== null && wayOf(spec.condition)?.way === "under-a");
  const target = judged.trials.find(({ spec }) => spec !== null && wayOf(spec.condition)?.way === "under-b");
  const [from, to] = [forward?.spec?.sets?.before, target?.spec?.sets?.after];
  if (from === undefined || to === undefined) return null;
  const stored = new Map(
    judged.trials.flatMap(({ spec, path }) => {
      // A canary's storage is the kit's own, and shows nothing of what the sets bring.
      if (spec === null || spec.canary) return [];
      const seen = storedIn(spec.factors.subject, traceAt(path).records);
      return seen === null ? [] : [[spec.trial, seen] as const];
    }),
  );
  return { ...judged, pair: { from, to }, stored };
}

function storedIn(subject: string, records: readonly JournalRecord[]): Stored | null {
  const schemas = ofType(records, "snapshot.schema");
  const logs = ofType(records, "snapshot.log");
  const schema = schemas.findLast(({ tables }) => tables.length > 0);
  if (schema === undefined && logs.length === 0) return null;
  // From when on the other code may have been started, and have failed.
  const resetAt = records.find(({ type }) => type === "reset.requested")?.seq ?? Number.POSITIVE_INFINITY;
  const isAfter = ({ seq }: JournalRecord) => seq > resetAt;
  const failed = errorsOf(ofType(records, "activation.failed").filter(isAfter));
  // What a client was told is of the code only where nothing says why the code failed.
  const refusals =
    failed.length > 0 ? failed : errorsOf(ofType(records, "client.reconnected").filter(isAfter));
  return {
    subject,
    schema: schema ?? null,
    events: logs.flatMap(({ events }) => events),
    emptied: emptiedIn(schemas, isAfter),
    // The same words may be wrapped by whoever reports them.
    refusals: [...new Set(refusals.map((text) => text.replace(/^Error: /, "")))],
    undecodable: [
      ...schemas
        .filter(isAfter)
        .flatMap(({ undecodable = [] }) => undecodable.map(({ table, why }) => `${table}: ${why}`)),
      ...(logs.filter(isAfter).some(({ unreadable }) => unreadable > 0)
        ? ["events of the log that are none"]
        : []),
    ],
  };
}

function errorsOf(records: readonly { readonly error: string | null }[]): string[] {
  return records.flatMap(({ error }) => error ?? []);
}

/** Tables that had rows at the last reading before the reset, and none at a reading after it. */
function emptiedIn(
  schemas: readonly JournalRecord<"snapshot.schema">[],
  isAfter: (record: JournalRecord) => boolean,
): ReadonlyMap<string, number> {
  const before = schemas.findLast((record) => !isAfter(record) && record.tables.length > 0);
  const after = schemas.filter((record) => isAfter(record) && record.tables.length > 0);
  const isEmpty = (name: string) =>
    after.some(({ tables }) => tables.find((table) => table.name === name)?.rows === 0);
  return new Map(
    (before?.tables ?? []).flatMap(({ name, rows }) =>
      rows !== null && rows > 0 && isEmpty(name) ? [[name, rows] as const] : [],
    ),
  );
}
