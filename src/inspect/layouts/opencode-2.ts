/** OpenCode 2 behind the prefix that `OpenCodeHarness` gives its tables. */
import { asText } from "../foreign.ts";
import type { Layout, Reader } from "./layout.ts";
import { claimsIn } from "./session-claims.ts";

const owns = (table: string) => table.startsWith("opencode_");

export const openCode2: Layout = {
  name: "opencode-2",
  owns,
  claims: (reader) => {
    const own = reader.tables.filter(owns);
    const { claims, found } = claimsIn(own, reader);
    // Its sessions are always claimed in some way: where no table shows how, what is owed is not known.
    if (!found) reader.complain(noClaims(own, reader));
    return claims;
  },
};

function noClaims(tables: readonly string[], reader: Reader): string {
  const sessions = tables
    .filter((table) => /session/i.test(table))
    .map((table) => `${table} (${reader.columns(table).join(", ")})`);
  const which = asText(sessions.join("; "), 1_000) ?? "there is no table of sessions";
  return `unknown layout: no table has a column for claims; ${which}`;
}
