/** Runs the read-only inspectors of `src/inspect` on an object's own storage. Touches the object, changes nothing. */
import { createHash } from "node:crypto";
import { LAYOUTS } from "../harnesses/index.ts";
import { inspectJobs } from "../inspect/jobs.ts";
import { inspectSchema } from "../inspect/sqlite-schema.ts";
import type { JobsResponse, SchemaResponse } from "../trace/protocol/subject-protocol.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function queryOf(storage: DurableObjectStorage) {
  return (sql: string, ...params: string[]) => storage.sql.exec(sql, ...params).toArray();
}

export function readSchema(storage: DurableObjectStorage): SchemaResponse {
  return inspectSchema(queryOf(storage), sha256, { statements: true });
}

export async function readJobs(storage: DurableObjectStorage): Promise<JobsResponse> {
  const listKeys = (prefix: string) => [...storage.kv.list({ prefix })].map(([key]) => key);
  return {
    ...inspectJobs(queryOf(storage), LAYOUTS, { listKeys, now: Date.now() }),
    alarmAt: await storage.getAlarm(),
  };
}
