/**
 * Claims in OpenCode's session tables. Which tables those are is told by their columns: the table has been called `session`
 * and `session_v2`, with a prefix and without, and the claim's column was renamed once. A session is claimed by the time of
 * its claim; layouts of before the counter of resumptions have the claim alone.
 *
 * Leaves to the layouts: which tables are theirs, and whether it is an error that none has a claim.
 */
import { asCount, asNumber, asText, columnsOf, type Reader, type Row } from "../inspect/index.ts";
import type { ClaimObservation } from "../trace/index.ts";

/** The claim's column in published versions, and its name after a later migration. */
const CLAIM_COLUMNS = ["time_suspended", "execution_claimed_at"] as const;
const COUNTER = "resume_attempts";
/** Columns that may mean a claim in a layout that nobody here has seen. */
const SOUNDS_LIKE_CLAIM = /(^|_)(claim(ed|s)?|suspended|leased?)(_|$)/i;

type SessionClaims = {
  readonly claims: ClaimObservation[];
  /** Whether any table has a column for claims, or one that may be for them. */
  readonly found: boolean;
};

export function claimsIn(tables: readonly string[], reader: Reader): SessionClaims {
  const shapes = tables.map((table) => ({ table, columns: reader.columns(table) }));
  const known = shapes.flatMap(({ table, columns }) => {
    const column = CLAIM_COLUMNS.find((name) => columns.includes(name));
    return column === undefined ? [] : [{ table, column, counted: columns.includes(COUNTER) }];
  });
  const strange = shapes.filter(
    ({ table, columns }) =>
      columns.some((name) => SOUNDS_LIKE_CLAIM.test(name)) && known.every((other) => other.table !== table),
  );
  for (const { table, columns } of strange)
    reader.complain(`unknown layout: ${table} may hold claims; its columns are ${columns.join(", ")}`);
  if (known.length > 1)
    reader.complain(`claims stand in ${known.length} tables: ${known.map(({ table }) => table).join(", ")}`);
  return {
    claims: known.flatMap((table) => reader.rows(table.table).map((row) => claimOf(row, table, reader))),
    found: known.length > 0 || strange.length > 0,
  };
}

function claimOf(
  row: Row,
  { table, column, counted }: { readonly table: string; readonly column: string; readonly counted: boolean },
  { complain }: Reader,
): ClaimObservation {
  const session = asText(row.id, 200);
  const claimedAt = asNumber(row[column]);
  const resumeAttempts = counted ? asCount(row[COUNTER]) : null;
  if (session === null || (counted && resumeAttempts === null))
    complain(`a row of ${table} lacks id or ${COUNTER}; its columns are ${columnsOf(row)}`);
  else if (row[column] !== null && claimedAt === null)
    complain(`${column} of session ${session} is neither a number nor null`);
  return { session: session ?? "(unreadable)", claimedAt, resumeAttempts };
}
