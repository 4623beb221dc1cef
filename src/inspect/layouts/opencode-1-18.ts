/**
 * The OpenCode 1.18 server: both generations of messages in one database, `message` and `part` of its `/session` API beside
 * `session_message` of its `/api` core, and the events of both in `event`.
 *
 * It owes nothing that could be read here: it has no job queue, and nothing marks a session as under way. A table of the
 * same name in another release may claim its sessions; then that is read.
 */
import type { Layout } from "./layout.ts";
import { claimsIn } from "./session-claims.ts";

/** Every table of the release; a further one belongs to another release, and is named as unknown. */
const TABLES: ReadonlySet<string> = new Set([
  "account",
  "account_state",
  "control_account",
  "credential",
  "data_migration",
  "event",
  "event_sequence",
  "message",
  "migration",
  "part",
  "permission",
  "project",
  "project_directory",
  "session",
  "session_context_epoch",
  "session_input",
  "session_message",
  "session_share",
  "todo",
  "workspace",
]);

export const openCode118: Layout = {
  name: "opencode-1.18",
  owns: (table) => TABLES.has(table),
  claims: (reader) =>
    claimsIn(
      reader.tables.filter((table) => TABLES.has(table)),
      reader,
    ).claims,
};
