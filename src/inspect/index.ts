/** Inspectors: foreign data in, observations out. Read-only, and pure: who reads the bytes is the caller. */
export type { Query } from "./foreign.ts";
export { inspectJobs, type JobsInspection, type ListKeys } from "./jobs.ts";
export { findDisorder, type Gap, inspectLog, type LogInspection } from "./log.ts";
export { advance, LOG_START, type LogCursor, repairRead } from "./log-cursor.ts";
export { inspectSchema, type SchemaInspection } from "./schema.ts";
export { readOldLog, readOldMessages, readOldWatermark } from "./stored-old-session.ts";
export { readStoredLog, readStoredMessages } from "./stored-session.ts";
export { inspectTranscript } from "./transcript.ts";
