/**
 * What a storage layout is to the inspectors: which tables belong to it, and how the work that is due and the sessions
 * that are under way can be read from them. A layout belongs to another package and changes with it; what it does not
 * recognise it says through `complain`, and it never throws.
 *
 * Leaves to others: which layouts there are (each harness brings its own), putting them together (jobs.ts).
 */
import type { ClaimObservation, JobObservation } from "../trace/index.ts";
import type { RowLayout } from "./undecodable-rows.ts";

export type Row = Record<string, unknown>;

/** The storage as a layout may read it. */
export type Reader = {
  /** Names of all tables, in order. */
  readonly tables: readonly string[];
  /** Names of a table's columns, also of one without rows. */
  readonly columns: (table: string) => readonly string[];
  /** Rows of a table in order of its first column, up to the limit of a record. A table that is not there is complained of. */
  readonly rows: (table: string) => readonly Row[];
  /** Keys of the object's key–value store that begin with `prefix`, in order. */
  readonly keys: (prefix: string) => readonly string[];
  readonly complain: (sentence: string) => void;
};

export type Layout = {
  readonly name: string;
  /** Whether the table is one of this layout's. */
  readonly owns: (table: string) => boolean;
  /** For layouts in the key–value store: the prefix of their keys. */
  readonly keyPrefix?: string;
  /** Called only when the storage has something of this layout. */
  readonly jobs?: (reader: Reader) => JobObservation[];
  readonly claims?: (reader: Reader) => ClaimObservation[];
  /** Tables whose rows have to be decoded by whoever goes on with them. */
  readonly rows?: readonly RowLayout[];
};

export function columnsOf(row: Row): string {
  return Object.keys(row).join(", ");
}
