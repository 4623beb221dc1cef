/**
 * A stored trace: JSON Lines, one file per trial. The first line is the header, the others are the journal's
 * lines exactly as the ledger hashed them.
 *
 * `parseTrace` never throws on damaged input: it returns what it could read and a list of problems, and the
 * judge turns any problem into an invalid trial. Leaves reading and writing of files to the CLI, and to the judge whether
 * the header agrees with the journal.
 */
import { z } from "zod";
import { GENESIS, type HashText } from "./chain.ts";
import { Count, RunId, Sha256, TrialId } from "./ids.ts";
import { nestsDeeperThan } from "./nesting.ts";
import { compileQuickCheck, type QuickCheck } from "./quick-check.ts";
import { JournalRecord, PREV, RECORD_TYPES } from "./records.ts";
import { Environment, TrialSpec } from "./spec.ts";

export const TRACE_SCHEMA = "opencode-do-recovery-kit/trace/1";

export const TraceHeader = z.strictObject({
  schema: z.literal(TRACE_SCHEMA).describe("name and version of the format"),
  trial: TrialId.describe("id of the trial"),
  run: RunId.describe("id of the run"),
  records: Count.describe("how many records follow, so that a cut-off tail is seen"),
  head: Sha256.describe("SHA-256 of the last line, as text"),
  spec: TrialSpec.describe("what the trial was asked to do, as in `trial.started`"),
  environment: Environment.describe("what it ran on, as in `trial.started`"),
});
export type TraceHeader = z.infer<typeof TraceHeader>;

/** Something wrong with the file itself. `line` is 1-based; 0 when it concerns the whole file. */
type TraceProblem = {
  readonly code:
    | "empty-file"
    | "header-unreadable"
    | "line-unreadable"
    | "record-invalid"
    | "chain-broken"
    | "seq-broken"
    | "tail-missing"
    | "line-unended"
    | "given-up"
    | "too-large";
  readonly line: number;
  readonly detail: string;
};

export type ParsedTrace = {
  readonly header: TraceHeader | null;
  readonly records: readonly JournalRecord[];
  readonly problems: readonly TraceProblem[];
};

/** Most problems that are listed. After so many the file is no trace, and reading more of it decides nothing. */
const PROBLEMS_MAX = 100;
/** Most records of a trial: a hundred times as many as the longest one of the kit has. */
const RECORDS_MAX = 50_000;
/** Most characters of a problem's detail, which may quote the file. */
const DETAIL_MAX = 1_000;

/** Reads one line at a time, so that a long trace needs no more memory than its records. */
export class TraceReader {
  readonly #hash: HashText;
  #line = 0;
  #prev = GENESIS;
  #header: TraceHeader | null = null;
  readonly #records: JournalRecord[] = [];
  readonly #problems: TraceProblem[] = [];
  #givenUp = false;

  constructor(hash: HashText) {
    this.#hash = hash;
  }

  /** Takes the next line, without its line break. */
  push(text: string): void {
    if (this.#givenUp) return;
    this.#line += 1;
    if (this.#line === 1) this.#pushHeader(text);
    else this.#pushRecord(text);
  }

  /** Takes the last line of a file that does not end with a line break. */
  pushUnended(text: string): void {
    const before = this.#problems.length;
    this.push(text);
    // A line that is cut says so itself.
    if (this.#problems.length === before && !this.#givenUp)
      this.#problem(
        "line-unended",
        "the last line does not end with a line feed: the file was cut or changed",
      );
  }

  /** Says that the rest is not read, and why. */
  tooLarge(detail: string): void {
    this.#problems.push({ code: "too-large", line: 0, detail });
    this.#givenUp = true;
  }

  /** Whether further lines change nothing. */
  get isGivenUp(): boolean {
    return this.#givenUp;
  }

  /** Whether every line is there that the header announces, the last one unchanged. Damage between them is a problem of its own. */
  get isWhole(): boolean {
    const header = this.#header;
    const ended = header !== null && this.#line === header.records + 1 && this.#prev === header.head;
    return ended && !this.#givenUp;
  }

  /** Ends the file and returns what was read. */
  end(): ParsedTrace {
    if (this.#line === 0 && !this.#givenUp) this.#problem("empty-file", "the file has no line");
    const header = this.#header;
    if (header !== null) {
      // What was not read is not said to be missing.
      const complete = this.#records.length === header.records && this.#prev === header.head;
      if (!complete && !this.#givenUp) {
        this.#problems.push({
          code: "tail-missing",
          line: 0,
          detail: `the header announces ${header.records} records ending in ${header.head.slice(0, 12)}…, the file has ${this.#records.length} readable ones ending in ${this.#prev.slice(0, 12)}…`,
        });
      }
    }
    return { header, records: this.#records, problems: this.#problems };
  }

  #pushHeader(text: string): void {
    const json = parseJson(text);
    if (!json.ok) {
      this.#problem("header-unreadable", `the header line is not JSON (${json.error})`);
      return;
    }
    const parsed = parseHeader(json.value);
    if (parsed.ok) this.#header = parsed.value;
    else this.#problem("header-unreadable", parsed.error);
  }

  #pushRecord(text: string): void {
    const json = parseJson(text);
    if (!json.ok) {
      this.#problem("line-unreadable", `not JSON (${json.error})`);
      // The hash of the damaged text is still taken, so that one bad line gives one chain problem, not two.
      this.#prev = this.#hash(text);
      return;
    }
    const parsed = parseRecord(json.value, this.#prev);
    if (!parsed.ok) {
      this.#problem("record-invalid", parsed.error);
      this.#prev = this.#hash(text);
      return;
    }
    const record = parsed.value;
    if (record.prev !== this.#prev)
      this.#problem(
        "chain-broken",
        `record seq ${record.seq} does not follow the line before it: a line was changed, removed or moved`,
      );
    const expectedSeq = (this.#records.at(-1)?.seq ?? 0) + 1;
    if (record.seq !== expectedSeq)
      this.#problem("seq-broken", `expected seq ${expectedSeq}, found ${record.seq}`);
    this.#prev = this.#hash(text);
    this.#records.push(record);
    if (this.#records.length > RECORDS_MAX) this.tooLarge(`there are more than ${RECORDS_MAX} records`);
  }

  #problem(code: TraceProblem["code"], detail: string): void {
    const shown = detail.length > DETAIL_MAX ? `${detail.slice(0, DETAIL_MAX)}…` : detail;
    this.#problems.push({ code, line: this.#line, detail: shown });
    if (this.#problems.length < PROBLEMS_MAX || this.#givenUp) return;
    this.#givenUp = true;
    this.#problems.push({
      code: "given-up",
      line: this.#line,
      detail: `the lines after it were not read, because there are ${PROBLEMS_MAX} problems already`,
    });
  }
}

/** Parses a whole trace text. */
export function parseTrace(text: string, hash: HashText): ParsedTrace {
  const reader = new TraceReader(hash);
  const lines = text.split("\n");
  // A file ends with a line break; anything after the last one is a broken last line and is read as such.
  const last = lines.pop() ?? "";
  for (const line of lines) reader.push(line);
  if (last !== "") reader.pushUnended(last);
  return reader.end();
}

type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

/** Zod has the last word, and is asked only where the quick look does not already say yes. */
function parsedBy<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, error: issueText(parsed.error) };
}

/** Compiled when the first trace is read: whoever only writes traces pays nothing. */
let looks: { readonly header: QuickCheck; readonly record: QuickCheck } | null = null;

function quickLooks(): NonNullable<typeof looks> {
  looks ??= { header: compileQuickCheck(TraceHeader), record: compileQuickCheck(JournalRecord, [PREV]) };
  return looks;
}

function parseHeader(value: unknown): Parsed<TraceHeader> {
  return quickLooks().header(value)
    ? { ok: true, value: value as TraceHeader }
    : parsedBy(TraceHeader, value);
}

const TypedRecord = z.looseObject({ type: z.string() });

/**
 * A `prev` that is the hash of the line before has the shape of one. An unknown type is named, without the list of known ones:
 * that grows, and verdicts on old traces must not change.
 */
function parseRecord(value: unknown, prev: string): Parsed<JournalRecord> {
  if (quickLooks().record(value) && (value as JournalRecord).prev === prev)
    return { ok: true, value: value as JournalRecord };
  const parsed = parsedBy(JournalRecord, value);
  if (parsed.ok) return parsed;
  const typed = TypedRecord.safeParse(value);
  if (typed.success && !(RECORD_TYPES as readonly string[]).includes(typed.data.type))
    return { ok: false, error: `type: there is no record type '${typed.data.type.slice(0, 100)}'` };
  return parsed;
}

/** Far deeper than any record, and far too little to be slow. */
const NESTING_MAX = 1_000;
/** Only a longer text is looked at before it is parsed. */
const NESTING_CHARACTERS_MIN = 64 * 1024;

function parseJson(text: string): Parsed<unknown> {
  if (text.length > NESTING_CHARACTERS_MIN && nestsDeeperThan(text, NESTING_MAX))
    return { ok: false, error: `values are nested more than ${NESTING_MAX} deep` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function issueText(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  if (issue === undefined) return "invalid";
  const path = issue.path.join(".");
  // Which words there are fills a page, and is another list in each version.
  const message = issue.message.replace(/^Invalid discriminator value\..*$/s, "none that is known");
  return path === "" ? message : `${path}: ${message}`;
}
