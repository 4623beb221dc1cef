/** What can be inspected of an object's storage. A kind brings all that is special about it; sources and layout are shared. */
import type { z } from "zod";
import type { Query } from "../../src/inspect/index.ts";
import type { Peer } from "../../src/link/call.ts";
import type { JournalRecord } from "../../src/trace/records.ts";
import type { Column } from "../present/text-table.ts";
import type { Finding } from "./finding-codes.ts";

/** What differs between two readings; `a` or `b` is null where one of them lacks it. */
export type Change = { readonly what: string; readonly a: string | null; readonly b: string | null };

export type Listing = { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] };

export type FromFile<R> = { readonly reading: R; readonly findings: readonly Finding[] };

export type InspectKind<R> = {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<R>;
  /** Whether it is about one session, of which a storage may hold several. */
  readonly ofSession: boolean;
  /**
   * Reads a copy of a database file.
   *
   * @throws UserError for a layout or a session that it does not know, with what there is.
   */
  readonly ofFile: (query: Query, name: string, session: string | undefined) => FromFile<R>;
  /** What the files beside the database add. */
  readonly ofFolder?: (path: string, reading: R) => Promise<R>;
  /** Null for a record that is no such reading. */
  readonly ofRecord: (record: JournalRecord) => R | null;
  /** Asks a live subject Worker. `path` leads to the object. */
  readonly ofWorker: (peer: Peer, path: string, signal: AbortSignal) => Promise<R>;
  readonly findings: (reading: R) => readonly Finding[];
  readonly changes: (a: R, b: R) => readonly Change[];
  /** In one line. */
  readonly summary: (reading: R) => string;
  readonly listings: (reading: R) => readonly Listing[];
};
