/** A stored run of `upgrade`, with what its traces say of storage and logs. */

import type { Stored, UpgradeRun } from "../../src/summarize/compare-upgrade.ts";
import { wayOf } from "../../src/summarize/upgrade-ways.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import type { JournalRecord } from "../../src/trace/records.ts";
import { UserError } from "../base/user-error.ts";
import type { JudgedRun } from "./judge-run.ts";
import { readTrace } from "./read-trace.ts";

/** @throws UserError when the run is none of `upgrade`. */
export function upgradeRunOf(judged: JudgedRun): UpgradeRun {
  const forward = judged.trials.find(({ spec }) => spec !== null && wayOf(spec.condition)?.way === "under-a");
  const target = judged.trials.find(({ spec }) => spec !== null && wayOf(spec.condition)?.way === "under-b");
  const [from, to] = [forward?.spec?.sets?.before, target?.spec?.sets?.after];
  if (from === undefined || to === undefined)
    throw new UserError(
      `'${judged.folder}' holds no whole run of 'upgrade': trials under both sets are needed`,
    );
  const stored = new Map(
    judged.trials.flatMap(({ spec, path }) => {
      // A canary's storage is the kit's own, and shows nothing of what the sets bring.
      if (spec === null || spec.canary) return [];
      const seen = storedIn(readTrace(path).records);
      return seen === null ? [] : [[spec.trial, seen] as const];
    }),
  );
  return { ...judged, pair: { from, to }, stored };
}

function storedIn(records: readonly JournalRecord[]): Stored | null {
  const schemas = records.flatMap((record) => (record.type === "snapshot.schema" ? [record] : []));
  const logs = records.flatMap((record) => (record.type === "snapshot.log" ? [record] : []));
  const schema = schemas.filter(({ tables }) => tables.length > 0).at(-1);
  if (schema === undefined && logs.length === 0) return null;
  const last = logs.at(-1);
  const resetAt = records.find(({ type }) => type === "reset.performed")?.seq ?? Number.POSITIVE_INFINITY;
  const refusals = records.flatMap((record) =>
    record.seq > resetAt && (record.type === "activation.failed" || record.type === "client.reconnected")
      ? (record.error ?? [])
      : [],
  );
  return {
    tables: (schema?.tables ?? []).map(({ name }) => name).sort(byCodeUnit),
    indexes: (schema?.indexes ?? []).map(({ name, table }) => `${table}.${name}`).sort(byCodeUnit),
    eventTypes: [...new Set(logs.flatMap(({ events }) => events.map(({ type }) => type)))].sort(byCodeUnit),
    // The same words may be wrapped by whoever reports them.
    refusals: [...new Set(refusals.map((text) => text.replace(/^Error: /, "")))],
    undecodable: [
      ...(last !== undefined && last.unreadable > 0 ? [`${last.unreadable} events of the log`] : []),
      ...(schema?.error == null ? [] : [schema.error]),
    ],
  };
}
