/**
 * `OpenCodeHarness` around an OpenCode 2 host, whose tables the harness puts behind a prefix. A session is claimed by the
 * time of its claim.
 */
import { asText, type Layout, type Reader } from "../../inspect/index.ts";
import { lifecycleJobs } from "../lifecycle-jobs.ts";
import { claimsIn } from "../session-claims.ts";
import type { SubjectTraits } from "../subject-traits.ts";

const owns = (table: string) => table.startsWith("opencode_");

const openCode2: Layout = {
  name: "opencode-2",
  owns,
  claims: (reader) => {
    const own = reader.tables.filter(owns);
    const { claims, found } = claimsIn(own, reader);
    // Its sessions are always claimed in some way: where no table shows how, what is owed is not known.
    if (!found) reader.complain(noClaims(own, reader));
    return claims;
  },
  rows: [
    {
      table: "opencode_event",
      key: "id",
      columns: ["aggregate_id", "seq", "created"],
      objects: ["data"],
      versioned: "type",
    },
    {
      table: "opencode_session_message",
      key: "id",
      columns: ["session_id", "seq", "type"],
      objects: ["data"],
    },
  ],
};

function noClaims(tables: readonly string[], reader: Reader): string {
  const sessions = tables
    .filter((table) => /session/i.test(table))
    .map((table) => `${table} (${reader.columns(table).join(", ")})`);
  const which = asText(sessions.join("; "), 1_000) ?? "there is no table of sessions";
  return `unknown layout: no table has a column for claims; ${which}`;
}

export const openCode = {
  runs: "object",
  host: "chosen",
  canary: false,
  onDemand: false,
  variantOf: null,
  layouts: [lifecycleJobs, openCode2],
} as const satisfies SubjectTraits;
