/**
 * The layouts of the stand-in's tables: statements are written in the names of layout 1, and each layout gives them its own.
 * Layout 2 is what a published migration makes of it, which gives the claim its other name (host contract, section 11.1).
 * The old one is of before any migration: no later layout can read it, and each says so.
 *
 * Leaves to others: the statements (host-tables.ts, session-store.ts), getting from one to the next (table-migration.ts), and what makes which layout run
 * (`experiments/sdk-sets.ts`).
 */
export type TableLayout = {
  /** Appended to the version of the host; null for the layout that it has by default. */
  readonly label: string | null;
  /** The table of sessions. */
  readonly sessions: string;
  /** Its column with the time of the claim. */
  readonly claim: string;
  /** Ids in the journal of migrations, in order. They are ours, not OpenCode's. */
  readonly migrations: readonly string[];
};

const FIRST = "stand-in_0001_schema";
export const CLAIM_RENAMED = "stand-in_0002_execution_claimed_at";

export const LAYOUT_1: TableLayout = {
  label: null,
  sessions: "session_v2",
  claim: "time_suspended",
  migrations: [FIRST],
};

export const LAYOUT_2: TableLayout = {
  label: "layout-2",
  sessions: "session_v2",
  claim: "execution_claimed_at",
  migrations: [FIRST, CLAIM_RENAMED],
};

export const LAYOUT_OLD: TableLayout = {
  label: "layout-old",
  sessions: "session",
  claim: "time_suspended",
  migrations: ["stand-in_0000_schema"],
};

/** Of the claim's index, which is called after its column. */
export const CLAIM_INDEX = `CREATE INDEX session_v2_time_suspended_idx ON session_v2 (time_suspended) WHERE time_suspended IS NOT NULL`;

/** The statement in the names of a layout. */
export function inNamesOf({ sessions, claim }: TableLayout, query: string): string {
  return query.replaceAll(LAYOUT_1.sessions, sessions).replaceAll(LAYOUT_1.claim, claim);
}
