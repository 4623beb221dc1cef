/** The stretches of time in a trial that a reader looks for: resets, quiet interval, holds, receipts withheld. Pure. */
import type { Span } from "../../src/report/report-model.ts";
import type { JournalRecord } from "../../src/trace/records.ts";

type Edge = { readonly key: string; readonly span: Span["span"]; readonly lane: Span["lane"] };
type Begin = Edge & { readonly text: string };

/** @param zeroAt what the times count from. A stretch that no record ends reaches to the last one. */
export function spansOf(records: readonly JournalRecord[], zeroAt: number): Span[] {
  const last = records.at(-1);
  return records.flatMap((record, index): Span[] => {
    const begun = beginOf(record);
    if (begun === null || last === undefined) return [];
    const end = records.slice(index + 1).find((later) => endsOf(later).includes(begun.key));
    const { span, lane, text } = begun;
    return [
      {
        ...{ span, lane, text },
        fromMs: record.at - zeroAt,
        toMs: (end ?? last).at - zeroAt,
        from: record.seq,
        to: end?.seq ?? null,
      },
    ];
  });
}

function beginOf(record: JournalRecord): Begin | null {
  switch (record.type) {
    case "reset.requested":
      return {
        key: `reset ${record.ordinal}`,
        span: "reset",
        lane: "controller",
        text: `reset ${record.ordinal}, ${record.reset}: asked for until performed`,
      };
    case "quiet.started":
      return { key: "quiet", span: "quiet", lane: "controller", text: "quiet interval" };
    case "hold.reached":
      return {
        key: `hold ${record.hold.point} ${record.hold.occurrence}`,
        span: "hold",
        lane: "ledger",
        text: `held at ${record.hold.point}`,
      };
    case "receipt.withheld":
      return {
        key: `receipt ${record.attempt}`,
        span: "withheld",
        lane: "ledger",
        text: `receipt of attempt ${record.attempt} withheld`,
      };
    default:
      return null;
  }
}

function endsOf(record: JournalRecord): readonly string[] {
  switch (record.type) {
    case "reset.performed":
    case "reset.refused":
      return [`reset ${record.ordinal}`];
    case "quiet.ended":
      return ["quiet"];
    case "hold.released":
      return [`hold ${record.hold.point} ${record.hold.occurrence}`];
    case "receipt.released":
    case "receipt.undeliverable":
      return [`receipt ${record.attempt}`];
    default:
      return [];
  }
}
