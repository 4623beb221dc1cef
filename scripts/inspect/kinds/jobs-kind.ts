/** What the object is due to do, the alarm that wakes it, and the sessions that it holds claimed. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { inspectJobs } from "../../../src/inspect/index.ts";
import { call } from "../../../src/link/call.ts";
import { PAYLOADS } from "../../../src/trace/payloads.ts";
import { JobsResponse } from "../../../src/trace/protocol/subject-protocol.ts";
import { readAlarm } from "../../local/files/offline.ts";
import { type Finding, found } from "../finding-codes.ts";
import type { Change, InspectKind } from "../inspect-kind.ts";
import { HARNESS_LAYOUTS, tablesIn, unknownLayout } from "../layouts.ts";

const { jobs, alarmAt, claims, alarmUnknown, notes, error } = PAYLOADS["snapshot.jobs"].shape;
const JobsReading = z.strictObject({ jobs, alarmAt, claims, alarmUnknown, notes, error });
type JobsReading = z.infer<typeof JobsReading>;
type Job = JobsReading["jobs"][number];
type Claim = JobsReading["claims"][number];

export const jobsKind: InspectKind<JobsReading> = {
  name: "jobs",
  description: "jobs that are due, the alarm, claimed sessions",
  schema: JobsReading,
  ofSession: false,
  ofFile: (query, name) => {
    const { tables, error: unlisted } = tablesIn(query);
    const keys = HARNESS_LAYOUTS.filter(({ keyPrefix }) => keyPrefix !== undefined);
    const known =
      unlisted !== null ||
      HARNESS_LAYOUTS.some(({ owns }) => tables.some(owns)) ||
      (keys.length > 0 && tables.includes("_cf_KV"));
    if (!known)
      throw unknownLayout(
        name,
        "jobs",
        HARNESS_LAYOUTS.map((layout) => layout.name),
        tables,
      );
    const { jobs, claims, notes, error } = inspectJobs(query, HARNESS_LAYOUTS, { now: Date.now() });
    return {
      reading: {
        ...{ jobs, alarmAt: null, claims, alarmUnknown: true, error },
        ...(notes === undefined ? {} : { notes }),
      },
      findings: [],
    };
  },
  // workerd keeps the alarms of all objects of a class beside them.
  ofFolder: async (path, reading) => {
    const folder = dirname(path);
    const own = /^(.+)-([^-]+)$/.exec(basename(folder));
    const [, worker, className] = own ?? [];
    if (worker === undefined || className === undefined || basename(dirname(folder)) !== "do") return reading;
    if (!existsSync(join(folder, "metadata.sqlite"))) return reading;
    const { alarmAt, alarmUnknown } = await readAlarm({
      persistDir: dirname(dirname(folder)),
      ...{ worker, className, objectId: basename(path, ".sqlite") },
    });
    return { ...reading, alarmAt, alarmUnknown };
  },
  ofRecord: (record) =>
    record.type === "snapshot.jobs"
      ? {
          ...{ jobs: record.jobs, alarmAt: record.alarmAt, claims: record.claims },
          ...{ alarmUnknown: record.alarmUnknown, error: record.error },
          ...(record.notes === undefined ? {} : { notes: record.notes }),
        }
      : null,
  ofWorker: async (peer, path, signal) =>
    JobsReading.parse({
      ...(await call(peer, "GET", `${path}/jobs`, JobsResponse, { signal })),
      alarmUnknown: false,
    }),
  findings: ({ jobs, alarmAt, claims, alarmUnknown, notes = [], error }) => {
    const waiting = jobs.filter(({ running }) => running !== true);
    const sessions = new Set(claims.map(({ session }) => session));
    return [
      ...(error === null ? [] : [found("reading-error", { error })]),
      ...(alarmUnknown ? [found("alarm-unknown", {})] : []),
      ...(!alarmUnknown && alarmAt === null && waiting.length > 0
        ? [found("alarm-missing", { jobs: waiting.length })]
        : []),
      ...claims
        .filter(isHeld)
        .flatMap(({ session, resumeAttempts }): Finding[] => [
          found("claim-held", { session, attempts: resumeAttempts }),
          ...(jobs.some((job) => sessionOf(job) === session) ? [] : [found("claim-orphaned", { session })]),
        ]),
      ...jobs.flatMap((job): Finding[] => {
        const session = sessionOf(job);
        return session === null || sessions.size === 0 || sessions.has(session)
          ? []
          : [found("job-orphaned", { job: job.id, session })];
      }),
      ...notes.map((detail) => found("jobs-noted", { detail })),
    ];
  },
  changes: (a, b) => [
    ...changesBy(a.jobs, b.jobs, ({ id }) => `job ${id}`, jobText),
    ...changesBy(a.claims, b.claims, ({ session }) => `session ${session}`, claimText),
    ...(alarmText(a) === alarmText(b) ? [] : [{ what: "alarm", a: alarmText(a), b: alarmText(b) }]),
  ],
  summary: (reading) =>
    `jobs: ${reading.jobs.length} · sessions claimed: ${reading.claims.filter(isHeld).length} of ${reading.claims.length} · alarm: ${alarmText(reading)}`,
  listings: ({ jobs, claims }) => [
    {
      columns: [{ title: "job" }, { title: "function" }, { title: "due" }, { title: "running" }],
      rows: jobs.map(({ id, fn, dueAt, running }) => [
        id,
        fn,
        timeText(dueAt),
        running === null ? "unknown" : running ? "yes" : "no",
      ]),
    },
    {
      columns: [{ title: "session" }, { title: "claimed" }, { title: "resumed", align: "right" }],
      rows: claims.map((claim) => [
        claim.session,
        isHeld(claim) ? (claim.claimedAt === null ? "yes" : timeText(claim.claimedAt)) : "no",
        claim.resumeAttempts === null ? "–" : String(claim.resumeAttempts),
      ]),
    },
  ],
};

function isHeld({ held, claimedAt }: Claim): boolean {
  return held ?? claimedAt !== null;
}

/** A job that is one session's names it at the end of its id. */
function sessionOf({ id }: Job): string | null {
  return /:([^:]+)$/.exec(id)?.[1] ?? null;
}

/** On the object's clock. */
function timeText(at: number | null): string {
  if (at === null) return "unknown";
  return Number.isFinite(new Date(at).getTime()) ? new Date(at).toISOString() : String(at);
}

function alarmText({ alarmAt, alarmUnknown }: JobsReading): string {
  if (alarmUnknown) return "unknown";
  return alarmAt === null ? "not set" : timeText(alarmAt);
}

function jobText({ fn, dueAt, running }: Job): string {
  return `${fn}, due ${timeText(dueAt)}${running === true ? ", running" : ""}`;
}

function claimText(claim: Claim): string {
  return `${isHeld(claim) ? "claimed" : "not claimed"}${claim.resumeAttempts === null ? "" : `, resumed: ${claim.resumeAttempts}`}`;
}

function changesBy<T>(
  a: readonly T[],
  b: readonly T[],
  what: (one: T) => string,
  text: (one: T) => string,
): Change[] {
  const [ofA, ofB] = [a, b].map((all) => new Map(all.map((one) => [what(one), text(one)] as const)));
  return [...new Set([...a, ...b].map(what))]
    .map((name) => ({ what: name, a: ofA?.get(name) ?? null, b: ofB?.get(name) ?? null }))
    .filter((one) => one.a !== one.b);
}
