/** OpenCode 2 behind the prefix that `OpenCodeHarness` gives its tables. A session is claimed by the time of its claim. */
import type { ClaimObservation } from "../../trace/index.ts";
import { asCount, asNumber, asText } from "../foreign.ts";
import { columnsOf, type Layout, type Reader, type Row } from "./layout.ts";

const SESSIONS = "opencode_session_v2";
/** The claim's column in published versions, and its name after a later migration. */
const CLAIM_COLUMNS = ["time_suspended", "execution_claimed_at"] as const;

export const openCode2: Layout = {
  name: "opencode-2",
  owns: (table) => table.startsWith("opencode_"),
  claims: (reader) => reader.rows(SESSIONS).map((row) => claimOf(row, reader)),
};

function claimOf(row: Row, { complain }: Reader): ClaimObservation {
  const session = asText(row.id, 200);
  const column = CLAIM_COLUMNS.find((name) => name in row);
  const claimed = column === undefined ? undefined : row[column];
  const claimedAt = asNumber(claimed);
  const resumeAttempts = asCount(row.resume_attempts);
  if (session === null || column === undefined || resumeAttempts === null)
    complain(
      `a row of ${SESSIONS} lacks id, ${CLAIM_COLUMNS.join(" or ")}, or resume_attempts; its columns are ${columnsOf(row)}`,
    );
  else if (claimed !== null && claimedAt === null)
    complain(`${column} of session ${session} is neither a number nor null`);
  return { session: session ?? "(unreadable)", claimedAt, resumeAttempts };
}
