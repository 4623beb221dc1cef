/** One trial as stretches of time and moments on the journal's clock, from which every format is made. Pure. */
import type { Verdict } from "../../src/reconcile/verdict.ts";
import { type Entry, tellTrial } from "../../src/story/story.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { type JournalRecord, ofType } from "../../src/trace/records.ts";
import { spansOf } from "../report/spans.ts";

export type Stretch = {
  readonly kind: string;
  readonly lane: string;
  readonly text: string;
  /** On the ledger's clock, in ms. */
  readonly fromAt: number;
  readonly toAt: number;
  /** `seq`s of the records that begin and end it; `to` is null where none ends it, and it reaches to the last one. */
  readonly from: number;
  readonly to: number | null;
};

export type Moment = Pick<Entry, "seq" | "lane" | "text" | "decides" | "kind"> & {
  readonly at: number;
  readonly type: string;
};

export type Timeline = {
  readonly run: string;
  readonly trial: string;
  readonly condition: string;
  readonly host: string;
  readonly valid: boolean;
  readonly fromAt: number;
  readonly toAt: number;
  readonly stretches: readonly Stretch[];
  readonly moments: readonly Moment[];
};

/** Null for a trace without a record. */
export function timelineOf(parsed: ParsedTrace, verdict: Verdict): Timeline | null {
  const { records } = parsed;
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return null;
  const { entries, trial, condition, spec, host, valid } = tellTrial(parsed, verdict);
  const told = spansOf(records, 0).map(({ span, lane, text, fromMs, toMs, from, to }) => ({
    ...{ kind: span, lane, text, fromAt: fromMs, toAt: toMs, from, to },
  }));
  return {
    ...{ run: spec?.run ?? "unknown", trial, condition, valid },
    host: host === null ? "unknown" : `${host.kind} (${host.name} ${host.version})`,
    fromAt: first.at,
    toAt: last.at,
    stretches: [
      ...told,
      ...activations(records),
      ...operations(records),
      ...requests(records),
      ...attempts(records),
    ].sort((a, b) => a.from - b.from),
    moments: records.flatMap((record, index) => {
      const entry = entries[index];
      if (entry === undefined) return [];
      const { seq, lane, text, decides, kind } = entry;
      return [{ seq, lane, text, decides, kind, at: record.at, type: record.type }];
    }),
  };
}

type Named = Pick<Stretch, "kind" | "lane" | "text">;

/** From a record to the first later one that ends it, or to the last of the trial. */
function stretch(
  records: readonly JournalRecord[],
  begin: JournalRecord,
  isEnd: (record: JournalRecord) => boolean,
  named: Named,
): Stretch {
  const end = records.find((record) => record.seq > begin.seq && isEnd(record));
  const toAt = (end ?? records.at(-1) ?? begin).at;
  return { ...named, fromAt: begin.at, toAt, from: begin.seq, to: end?.seq ?? null };
}

function activations(records: readonly JournalRecord[]): Stretch[] {
  return ofType(records, "subject.activated").map((begin) =>
    stretch(records, begin, ({ type }) => type === "subject.activated" || type === "reset.performed", {
      kind: "activation",
      lane: "subject",
      text: `activation ${begin.generation}`,
    }),
  );
}

function operations(records: readonly JournalRecord[]): Stretch[] {
  return ofType(records, "operation.submitted")
    .filter(({ purpose }) => purpose === "first")
    .map((begin) =>
      stretch(
        records,
        begin,
        (record) => record.type === "operation.settled" && record.operationId === begin.operationId,
        { kind: "operation", lane: "controller", text: `operation ${begin.operationId}` },
      ),
    );
}

function requests(records: readonly JournalRecord[]): Stretch[] {
  return ofType(records, "model.requested").map((begin) =>
    stretch(records, begin, (record) => record.type === "model.answered" && record.call === begin.call, {
      kind: "model request",
      lane: "model",
      text: `request ${begin.call} (${begin.purpose})`,
    }),
  );
}

const ATTEMPT_ENDS: readonly string[] = ["receipt.sent", "receipt.undeliverable", "attempt.rejected"];

function attempts(records: readonly JournalRecord[]): Stretch[] {
  return ofType(records, "attempt.received").map((begin) =>
    stretch(
      records,
      begin,
      (record) =>
        ATTEMPT_ENDS.includes(record.type) && "attempt" in record && record.attempt === begin.attempt,
      { kind: "attempt", lane: "ledger", text: `attempt ${begin.attempt} at ${begin.action}` },
    ),
  );
}
