/**
 * What `inspect` finds in storage: each code with the facts that its sentence needs, the sentence, and what it weighs. A `doubt`
 * means that what is shown is not all there is, or not as it was written; a `note` is remarkable and takes nothing from it.
 */
type Entry<Facts> = { readonly weight: "doubt" | "note"; readonly say: (facts: Facts) => string };
const doubt = <Facts>(say: (facts: Facts) => string): Entry<Facts> => ({ weight: "doubt", say });
const note = <Facts>(say: (facts: Facts) => string): Entry<Facts> => ({ weight: "note", say });
type Nothing = Record<never, never>;

export const INSPECT_CODES = {
  "trace-damaged": doubt(
    (f: { code: string; line: number; detail: string }) =>
      `The trace is damaged (${f.code}, line ${f.line}): ${f.detail}.`,
  ),
  "file-damaged": doubt((f: { detail: string }) => `The file is damaged: ${f.detail}.`),
  "file-cut": doubt(
    (f: { pages: number; bytes: number; pageBytes: number }) =>
      `The file is cut: it announces ${f.pages} pages of ${f.pageBytes} bytes and holds ${f.bytes} bytes.`,
  ),
  "log-file-cut": doubt(
    (f: { bytes: number }) =>
      `The write-ahead log ends within a frame, after ${f.bytes} bytes: what was written last is missing.`,
  ),
  "log-file-missing": doubt((f: { detail: string }) => `Something is missing: ${f.detail}.`),
  "log-file-absent": note((f: { detail: string }) => `It cannot be told whether all is there: ${f.detail}.`),
  "journal-hot": doubt(
    (_: Nothing) =>
      "A rollback journal lies beside the file: its writer is at it or died, and the file may hold half of a change.",
  ),
  "in-use": note(
    (_: Nothing) =>
      "Another process has the file open or locked, or died with it: what is shown was read from a copy, as it was last committed.",
  ),
  "object-woken": note(
    (_: Nothing) => "The Worker was asked, which wakes the object and counts as a request to it.",
  ),
  "reading-error": doubt((f: { error: string }) => `Not all of it could be read: ${f.error}.`),
  "tables-none": note((_: Nothing) => "There are no tables."),
  "tables-unknown": doubt(
    (f: { tables: readonly string[] }) => `No known layout has the tables ${named(f.tables)}.`,
  ),
  "table-uncounted": doubt(
    (f: { table: string; error: string }) => `The rows of ${f.table} could not be counted: ${f.error}.`,
  ),
  "log-not-offered": note((_: Nothing) => "The subject says that it keeps no durable log."),
  gap: doubt((f: { from: number; to: number }) =>
    f.from === f.to ? `Event ${f.from} is missing.` : `Events ${f.from} to ${f.to} are missing.`,
  ),
  repeated: note(
    (f: { seqs: readonly number[] }) => `Events came more than once under the numbers ${f.seqs.join(", ")}.`,
  ),
  "number-reused": doubt(
    (f: { seq: number; events: number }) => `${f.events} different events have the number ${f.seq}.`,
  ),
  "watermark-missing": doubt(
    (_: Nothing) => "There is no watermark, so that events may be missing at the end.",
  ),
  "watermark-ahead": doubt(
    (f: { watermark: number; last: number | null }) =>
      `The watermark says ${f.watermark}, and the log ends at ${f.last ?? "nothing"}.`,
  ),
  "watermark-behind": note(
    (f: { watermark: number; last: number }) =>
      `The watermark says ${f.watermark}, and the log goes on to ${f.last}.`,
  ),
  undecodable: doubt((f: { count: number; rows: readonly number[] }) =>
    [
      `${f.count} ${f.count === 1 ? "row is no event" : "rows are no events"} that can be decoded`,
      ...(f.rows.length === 0 ? [] : [`(in order: ${f.rows.join(", ")})`]),
    ]
      .join(" ")
      .concat("."),
  ),
  "call-open": note(
    (f: { call: string; tool: string | null; seq: number }) =>
      `Call ${f.call}${f.tool === null ? "" : ` of ${f.tool}`} began with event ${f.seq} and has no end.`,
  ),
  "call-orphaned": note(
    (f: { call: string; seq: number }) => `Call ${f.call} ends with event ${f.seq} and never began.`,
  ),
  "call-ended-twice": note(
    (f: { call: string; seqs: readonly number[] }) =>
      `Call ${f.call} has several ends, events ${f.seqs.join(", ")}.`,
  ),
  "session-orphaned": note(
    (f: { sessions: readonly string[] }) =>
      `There are rows of sessions that no table of sessions has: ${named(f.sessions)}.`,
  ),
  "alarm-unknown": note((_: Nothing) => "The alarm could not be read here."),
  "alarm-missing": note(
    (f: { jobs: number }) =>
      `${f.jobs} ${f.jobs === 1 ? "job is" : "jobs are"} kept and no alarm is set: nothing here wakes the object for them.`,
  ),
  "claim-held": note(
    (f: { session: string; attempts: number | null }) =>
      `Session ${f.session} is claimed: work is under way, or was lost${f.attempts === null ? "" : `; resumed so far: ${f.attempts}`}.`,
  ),
  "claim-orphaned": note((f: { session: string }) => `Session ${f.session} is claimed and no job names it.`),
  "job-orphaned": note(
    (f: { job: string; session: string }) => `Job ${f.job} names session ${f.session}, which is not there.`,
  ),
  "jobs-noted": note((f: { detail: string }) => `${f.detail}.`),
} as const;

type Codes = typeof INSPECT_CODES;
export type InspectCode = keyof Codes;
type FactsOf<C extends InspectCode> = Parameters<Codes[C]["say"]>[0];

export type Finding = {
  readonly code: InspectCode;
  readonly weight: "doubt" | "note";
  readonly sentence: string;
};

export function found<C extends InspectCode>(code: C, facts: FactsOf<C>): Finding {
  const { weight, say } = INSPECT_CODES[code];
  return { code, weight, sentence: (say as (facts: FactsOf<C>) => string)(facts).replace(/\.\.$/, ".") };
}

const NAMED_MAX = 10;
function named(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  return `${names.slice(0, NAMED_MAX).join(", ")}${more}`;
}
