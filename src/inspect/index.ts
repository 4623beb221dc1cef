/** Inspectors: foreign data in, observations out. Read-only, and pure: who reads the bytes is the caller. */
export { asCount, asNumber, asObject, asText, clip, joinErrors, type Query, readRows } from "./foreign.ts";
export { inspectJobs, type JobsInspection, type ListKeys } from "./jobs.ts";
export { columnsOf, type Layout, type Reader, type Row } from "./layout.ts";
export { advance, LOG_START, type LogCursor, repairRead } from "./log-cursor.ts";
export { inspectTranscript } from "./messages.ts";
export { OWN_LAYOUTS } from "./own-tables.ts";
export {
  diffEventTypes,
  diffSchemas,
  type EventTypesDiff,
  isSameSchema,
  type Schema,
  type SchemaDiff,
} from "./schema-diff.ts";
export { columnText, indexText } from "./schema-words.ts";
export { findDisorder, type Gap, inspectLog, type LogInspection } from "./session-log.ts";
export { type SessionTables, sessionsIn } from "./session-presence.ts";
export { inspectSchema, LIST_TABLES, readStatements, type SchemaInspection } from "./sqlite-schema.ts";
export {
  notBegun,
  OLD_SESSION_TABLES,
  readOldInputs,
  readOldLog,
  readOldMessages,
  readOldWatermark,
} from "./stored-old-session.ts";
export { readStoredLog, readStoredMessages, STORED_SESSION_TABLES } from "./stored-session.ts";
export { type RowLayout, undecodableRows } from "./undecodable-rows.ts";
