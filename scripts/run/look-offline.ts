/**
 * Looks at a trial's storage while nothing touches its object: jobs, alarm and claims, read from copied files and
 * reported to the journal. Without it a trial whose object never came back could not say what was still owed. Of a server
 * it reads the session as well.
 */
import { z } from "zod";
import { subjectTraits } from "../../src/harnesses/index.ts";
import { call, type Peer, send } from "../../src/link/call.ts";
import { AppendResponse } from "../../src/trace/protocol/ledger-protocol.ts";
import type { RecordDraft } from "../../src/trace/records.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { databasePath, inspectDatabaseFile, readAlarm } from "../local/files/offline.ts";
import type { LocalRuntime } from "../local/local-runtime.ts";
import { lookAtServer } from "../local/server/look-at-server.ts";

/** The first activation is among the first records of every trial. */
const FIRST_RECORDS = 20;
const Activated = z.object({ type: z.literal("subject.activated"), object: z.string() });

/** Reads once and reports. `id` names the report within the trial. */
export async function lookOffline(runtime: LocalRuntime, spec: TrialSpec, id: string): Promise<void> {
  const isProcess = subjectTraits(spec.factors.subject).runs === "process";
  const records = isProcess
    ? await lookAtServer(runtime.storedSession(spec.slot, spec.trial))
    : [await readJobs(runtime, spec, await objectOf(runtime.controller, spec.trial))];
  for (const record of records) {
    const body = { id: `${id}:${record.type}`, record };
    await call(runtime.controller, "POST", `/trials/${spec.trial}/observations`, AppendResponse, { body });
  }
}

async function readJobs(
  runtime: LocalRuntime,
  spec: TrialSpec,
  objectId: string | null,
): Promise<RecordDraft<"snapshot.jobs">> {
  const base = { source: "cli", type: "snapshot.jobs", how: "offline", when: "quiet" } as const;
  if (objectId === null) {
    const error = "no activation of the object is recorded";
    return { ...base, jobs: [], claims: [], alarmAt: null, alarmUnknown: true, error };
  }
  const object = runtime.storedObject(spec.slot, spec.factors.subject, objectId);
  const [{ jobs }, alarm] = await Promise.all([inspectDatabaseFile(databasePath(object)), readAlarm(object)]);
  const errors = [jobs.error, alarm.error].filter((text) => text !== null);
  return {
    ...base,
    jobs: jobs.jobs,
    claims: jobs.claims,
    alarmAt: alarm.alarmAt,
    alarmUnknown: alarm.alarmUnknown,
    error: errors.length === 0 ? null : errors.join("; ").slice(0, 4_000),
  };
}

async function objectOf(controller: Peer, trial: string): Promise<string | null> {
  const page = await send(controller, "GET", `/trials/${trial}/journal?after=0&limit=${FIRST_RECORDS}`);
  for (const line of (await page.text()).split("\n").filter(Boolean)) {
    const activated = Activated.safeParse(JSON.parse(line));
    if (activated.success) return activated.data.object;
  }
  return null;
}
