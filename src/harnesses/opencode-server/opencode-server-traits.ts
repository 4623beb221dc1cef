/**
 * A real OpenCode 1.18 server as a process of its own; `scripts/local/server/` installs it and speaks to it. It has both
 * generations of messages in one database, `message` and `part` of its `/session` API beside `session_message` of its
 * `/api` core, and the events of both in `event`.
 *
 * It owes nothing that could be read here: it has no job queue, and nothing marks a session as under way. A table of the
 * same name in another release may claim its sessions; then that is read.
 */
import type { Layout } from "../../inspect/index.ts";
import { claimsIn } from "../session-claims.ts";
import type { SubjectTraits } from "../subject-traits.ts";

/** Every table of the release, and the list of migrations of 1.15; a further one belongs to another release, and is named as unknown. */
const TABLES: ReadonlySet<string> = new Set([
  "__drizzle_migrations",
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

const openCode118: Layout = {
  name: "opencode-1.18",
  owns: (table) => TABLES.has(table),
  claims: (reader) =>
    claimsIn(
      reader.tables.filter((table) => TABLES.has(table)),
      reader,
    ).claims,
  rows: [
    { table: "event", key: "id", columns: ["aggregate_id", "seq"], objects: ["data"], versioned: "type" },
    { table: "session_message", key: "id", columns: ["session_id", "seq", "type"], objects: ["data"] },
    { table: "message", key: "id", columns: ["session_id"], objects: ["data"] },
    { table: "part", key: "id", columns: ["session_id", "message_id"], objects: ["data"] },
  ],
};

/** A tool of a plugin on its `/session` API. */
export const openCodeServer = {
  runs: "process",
  host: "server",
  canary: false,
  onDemand: true,
  variantOf: null,
  layouts: [openCode118],
} as const satisfies SubjectTraits;

/** Its own shell tool on its `/api` core. */
export const openCodeServerShell = {
  ...openCodeServer,
  onCore: true,
  variantOf: "opencode-server",
} as const satisfies SubjectTraits;
