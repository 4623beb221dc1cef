/**
 * Whether work is still owed at the end with nothing live or scheduled that will do it. Read from the last records
 * of the trial; the runtime's own part in it is the canary's business (`attribution.ts`).
 */
import { z } from "zod";
import type { CaseFile } from "../case-file.ts";
import { completionOf } from "../case-file.ts";
import { type Answer, answer, answerSchema } from "../finding.ts";
import { type Axis, expectedYesNo, SHARED_CODES } from "./axis.ts";

const Value = z.enum(["yes", "no", "unknown"]);
const schema = answerSchema(Value);
export type StuckAnswer = z.infer<typeof schema>;

const CODES = {
  ...SHARED_CODES,
  "jobs-not-read": "The jobs were not read at the end.",
  "work-live": "Work was still under way at the end.",
  "work-scheduled": "An alarm was set for what was owed.",
  "alarm-not-readable": "The alarm could not be read this way.",
  "job-without-alarm": "A job row waits without an alarm.",
  "job-running-without-alarm": "A job is marked as running without an alarm.",
  "nothing-scheduled": "Work is owed, and neither a job nor an alarm exists.",
  "claim-held-job-without-alarm": "The session is still claimed; a job row waits without an alarm.",
  "claim-held-job-running-without-alarm":
    "The session is still claimed; a job is marked as running without an alarm.",
  "claim-held-nothing-scheduled": "The session is still claimed, and neither a job nor an alarm exists.",
} as const;

type Stuck = Answer<z.infer<typeof Value>, keyof typeof CODES>;

export const stuck = {
  name: "stuck",
  schema,
  codes: CODES,
  undecided: (code) => ({ value: "unknown", code, evidence: [] }),
  judge: judgeStuck,
  expected: { stuck: expectedYesNo },
  columns: [],
  counted: {},
} as const satisfies Axis<StuckAnswer>;

function judgeStuck(file: CaseFile): Stuck {
  const { jobs } = file.collect;
  const completion = completionOf(file);
  if (jobs === null || jobs.error !== null) return answer("unknown", "jobs-not-read", jobs, file.ended);
  const claimed = jobs.claims.some(({ claimedAt, held }) => claimedAt !== null || held === true);
  if (completion !== null && !claimed) return answer("no", "nothing-owed", completion, jobs);
  const live = liveWork(file);
  if (live !== null) return answer("no", "work-live", live, jobs);
  if (jobs.alarmAt !== null) return answer("no", "work-scheduled", jobs);
  if (jobs.alarmUnknown) return answer("unknown", "alarm-not-readable", jobs);
  const running = jobs.jobs.some((job) => job.running === true);
  if (file.stopped) return answer("unknown", "trial-stopped", jobs, file.ended);
  const code =
    jobs.jobs.length > 0
      ? running
        ? "job-running-without-alarm"
        : "job-without-alarm"
      : "nothing-scheduled";
  return answer(
    "yes",
    completion === null ? code : `claim-held-${code}`,
    file.lastLoss?.performed,
    jobs,
    file.ended,
  );
}

/** An attempt or a model request of the newest activation that is still under way. */
function liveWork(file: CaseFile): { seq: number } | null {
  const newest = file.newest?.activation;
  if (newest === undefined) return null;
  const attempt = file.attempts.find(({ open, received }) => open && received.activation === newest);
  if (attempt !== undefined) return attempt.received;
  const answered = new Set(file.of("model.answered").map(({ call }) => call));
  const last = file.of("model.requested").findLast(({ activation }) => activation === newest);
  const refusedSince = file.of("model.refused").some(({ seq }) => seq > (last?.seq ?? 0));
  return last !== undefined && !answered.has(last.call) && !refusedSince ? last : null;
}
