/**
 * Ways to spoil a stored trace. Half of the golden corpus is bad on purpose, so that a judge that stops noticing is
 * noticed. Two kinds: damage to the file, which the chain shows; and a forgery with a chain that holds, which only
 * the gates can show. Every one of them must make the trial invalid. Pure and without chance: the same trace is always
 * spoilt the same way.
 */
import { hash } from "node:crypto";
import { GENESIS } from "../../../src/trace/chain.ts";

/** Lines of a trace file: the header first, without line breaks. */
type Lines = readonly string[];
type Json = Record<string, unknown>;

/** The spoilt text; null when the trace has nothing of the kind to spoil. */
type Damage = (lines: Lines) => string | null;

export const DAMAGES: Readonly<Record<string, Damage>> = {
  "deleted-line": (lines) => joined(lines.toSpliced(middle(lines), 1)),
  "canary-silent": forged((records) => without(records, ({ type }) => type === "canary.fired")),
  "flipped-field": (lines) =>
    joined(lines.with(middle(lines), line(lines, middle(lines)).replace(/"at":(\d+)/, '"at":1$1'))),
  "effect-hidden": forged((records) => without(records, ({ type }) => type === "effect.committed")),
  "broken-last-line": (lines) => joined(lines).slice(0, -20),
  "end-missing": forged((records) => without(records, ({ type }) => type === "trial.ended")),
  "reordered-lines": (lines) => {
    const at = middle(lines);
    return joined(lines.with(at, line(lines, at + 1)).with(at + 1, line(lines, at)));
  },
  "recorder-gap": forged(hideLogEvent),
  "truncated-tail": (lines) => joined(lines.slice(0, -3)),
  "attempt-invented": forged(inventAttempt),
  "doubled-line": (lines) => joined(lines.toSpliced(middle(lines), 0, line(lines, middle(lines)))),
  "successor-hidden": forged(hideSuccessors),
  "header-contradicts": (lines) =>
    joined(
      lines.with(
        0,
        line(lines, 0).replace(/"destination":"(append|unique)"/, (_, one) =>
          one === "append" ? '"destination":"unique"' : '"destination":"append"',
        ),
      ),
    ),
  "marker-unwritten": forged((records) => without(records, ({ type }) => type === "marker.written")),
  "no-json": (lines) => joined(lines.with(middle(lines), "what was here is gone")),
  "other-destination": forged(swapDestination),
  "bytes-lost": (lines) =>
    joined(lines.with(middle(lines), line(lines, middle(lines)).replace('"type":"', '"typ\uFFFD":"'))),
  "log-unread": forged((records) =>
    without(records, ({ type, when }) => type === "snapshot.log" && when === "collect"),
  ),
  empty: () => "",
};

/** A change of the records after which numbers and chain are made anew, as a careful forger would. */
function forged(change: (records: Json[]) => Json[] | null): Damage {
  return ([head = "", ...lines]) => {
    const changed = change(lines.map((text) => JSON.parse(text) as Json));
    if (changed === null) return null;
    let prev = GENESIS;
    const chained = changed.map((record, index) => {
      const text = JSON.stringify({ ...record, seq: index + 1, prev });
      prev = hash("sha256", text, "hex");
      return text;
    });
    const header = { ...(JSON.parse(head) as Json), records: chained.length, head: prev };
    return joined([JSON.stringify(header), ...chained]);
  };
}

function without(records: Json[], unwanted: (record: Json) => boolean): Json[] | null {
  const kept = records.filter((record) => !unwanted(record));
  return kept.length === records.length ? null : kept;
}

/** The last read of the session log lacks an event in its middle, and does not say so. */
function hideLogEvent(records: Json[]): Json[] | null {
  const at = records.findLastIndex(({ type, when }) => type === "snapshot.log" && when === "collect");
  const events = records[at]?.events;
  if (!Array.isArray(events) || events.length < 3) return null;
  return records.with(at, { ...records[at], events: events.toSpliced(Math.floor(events.length / 2), 1) });
}

/** An effect that no attempt asked for. */
function inventAttempt(records: Json[]): Json[] | null {
  const at = records.findIndex(({ type }) => type === "effect.committed");
  const effect = records[at];
  if (effect === undefined) return null;
  return records.toSpliced(at + 1, 0, { ...effect, effect: "e99", attempt: 99, receipt: "r-99" });
}

/** Nothing shows any more that an object that was reset came back as another. */
function hideSuccessors(records: Json[]): Json[] | null {
  const reset = records.find(({ type }) => type === "reset.performed");
  // A process that ended proves the reset by itself.
  if (reset === undefined || reset.process !== null || reset.reset !== "abort") return null;
  const first = records.find(({ type }) => type === "subject.activated")?.activation;
  const old = (record: Json) =>
    "activation" in record && record.activation !== null ? { ...record, activation: first } : record;
  return (
    without(records, ({ type, activation }) => type === "subject.activated" && activation !== first)?.map(
      old,
    ) ?? null
  );
}

/** The ledger was another than the one that the trial asked for. */
function swapDestination(records: Json[]): Json[] | null {
  const at = records.findIndex(({ type }) => type === "ledger.configured");
  const configured = records[at];
  if (configured === undefined) return null;
  return records.with(at, {
    ...configured,
    destination: configured.destination === "append" ? "unique" : "append",
  });
}

function middle(lines: Lines): number {
  return Math.floor(lines.length / 2);
}

function line(lines: Lines, at: number): string {
  return lines[at] ?? "";
}

function joined(lines: Lines): string {
  return `${lines.join("\n")}\n`;
}
