/**
 * What an activation that failed says of its storage, by the text of its error: SQLite's own sentences, and those of hosts about
 * tables and migrations. New code that cannot read an old schema is another thing than a recovery that fails, and a store that
 * could not be read is not one without sessions.
 */
import type { JournalRecord } from "../trace/records.ts";
import type { CaseFile } from "./case-file.ts";

export type BootFailure = {
  /** `schema-unreadable`: a table, a column or a migration; `store-unreadable`: the file itself. */
  readonly code: "schema-unreadable" | "store-unreadable";
  /** What could not be read, as far as the error names it: `table session_v2`. */
  readonly what: string;
};

/** The part of the schema, and the sentence that names it. */
const SCHEMA: readonly (readonly [part: string, sentence: RegExp])[] = [
  ["table", /no such table: ([^\s:,;]+)/i],
  ["column", /no such column: ([^\s:,;]+)/i],
  ["column", /table (\S+ has no column named [^\s:,;]+)/i],
  ["column", /duplicate column name: ([^\s:,;]+)/i],
  ["index", /no such index: ([^\s:,;]+)/i],
  ["table", /table [`'"]?([^\s`'":,;]+)[`'"]? already exists/i],
  [
    "table",
    /(?:cannot|can't|could not|unable to) (?:read|decode|migrate) (?:the )?table [`'"]?([^\s`'":,;]+)/i,
  ],
  ["table", /[`'"]?([^\s`'":,;]+)[`'"]? (?:table )?has an? (?:unknown|unreadable|unsupported) layout/i],
  ["schema", /malformed database schema \(([^)]+)\)/i],
  ["column", /Cannot add a (NOT NULL column with default value NULL)/i],
  [
    "migration",
    /migrations? [`'"]?([\w.-]+)[`'"]? (?:failed|cannot|could not|is unknown|is missing|not found)/i,
  ],
  [
    "migration",
    /(?:failed|unable|cannot|could not)(?: to)? (?:run|apply|make|read) (?:the )?migrations?(?: [`'"]?([\w.-]+))?/i,
  ],
  ["sessions", /(has no session table)/i],
];

const STORE: readonly RegExp[] = [
  /file is not a database/i,
  /database disk image is malformed/i,
  /unable to open database file/i,
  /unsupported file format/i,
  /disk I\/O error/i,
];

/** Null where the error is about something else, or does not say. */
export function bootFailureOf(error: string): BootFailure | null {
  for (const [part, sentence] of SCHEMA) {
    const named = sentence.exec(error);
    if (named !== null) return { code: "schema-unreadable", what: `${part} ${named[1] ?? "of no name"}` };
  }
  const store = STORE.map((sentence) => sentence.exec(error)?.[0]).find((text) => text !== undefined);
  return store === undefined ? null : { code: "store-unreadable", what: store };
}

/** Activations that failed after the last loss; without a loss, all of them. */
export function failedSinceLoss(file: CaseFile): readonly JournalRecord<"activation.failed">[] {
  const from = file.lastLoss?.from ?? 0;
  return file.of("activation.failed").filter(({ seq }) => seq > from);
}

/**
 * The last failure after the loss that says that the storage could not be read, unless the object was read well after it: then
 * it had come to terms with its storage.
 */
export function unreadSince(
  file: CaseFile,
): (BootFailure & { readonly record: JournalRecord<"activation.failed"> }) | null {
  const record = failedSinceLoss(file).findLast(({ error }) => bootFailureOf(error) !== null);
  const failure = record === undefined ? null : bootFailureOf(record.error);
  if (record === undefined || failure === null) return null;
  const isReading = ({ seq, how, error }: JournalRecord<"snapshot.log" | "snapshot.transcript">) =>
    seq > record.seq && how === "object" && error === null;
  // That no log is offered is known of a subject without asking it.
  const read =
    file.of("snapshot.log").some((log) => log.offered && isReading(log)) ||
    file.of("snapshot.transcript").some(isReading);
  return read ? null : { ...failure, record };
}
