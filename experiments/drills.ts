/**
 * Six drills of an operator whose jobs are done by an executor that can be replaced. Each has a job record (job, session, owner,
 * last status) and nothing else, and in each another owner's session id is presented.
 *
 * Leaves to others: what is kept of conversation and files (continuity.ts), two clients with different work (rebinding.ts).
 */
import { EXECUTOR_LOST_CLAIMS } from "./claims.ts";
import type { WrittenExperiment } from "./shape.ts";
import { USUAL_TRIAL } from "./usual-trial.ts";

const SUBJECTS = ["container", "container-retry"] as const;

const passed = { drill: "passed", otherOwner: "refused", left: "untested" } as const;
const once = { attempts: 1, effects: 1, flags: ["ok"], repeat: [] } as const;
const answered = { ...passed, jobStatus: "done", newWork: "admitted", ...once } as const;
const cleared = { drill: "passed", otherOwner: "refused", left: "nothing" } as const;

/** Of a session that is deleted, nothing but its effects can be told. */
const deleted = { ...cleared, jobStatus: "deleted", session: "lost", ...once } as const;

export const drills = {
  name: "drills",
  title: "Six drills of an operator, by the job record alone",
  description:
    "ContainerHarness with the kit's own agent: an idle stop and a follow-up; an event stream that is cut off and followed again; " +
    "worker and executor lost together; the same request twice, also at the same time; a job that failed and one whose session is " +
    "missing brought to an end; the session's record and what ran for it deleted apart, the second by its owner's key alone.",
  defaults: { ...USUAL_TRIAL, subject: "container", point: "after-answer", reset: "kill" },
  blocks: [
    {
      name: "idle-stop",
      levels: {
        subject: "container-idle",
        drill: "follow-up",
        reset: "idle-stop",
        target: "executor",
        workspace: ["snapshot", "snapshot-refused", "none"],
      },
      expect: [
        { when: { workspace: "snapshot" }, verdict: { ...answered, files: "kept" } },
        { when: { workspace: ["snapshot-refused", "none"] }, verdict: { ...answered, files: "lost" } },
      ],
      claims: ["container-resumes", "container-idle-snapshot"],
    },
    {
      // The connection alone, in the middle of a call that is let go when the stream is there again.
      name: "stream-lost",
      levels: {
        drill: "event-stream",
        point: "after-commit",
        reset: "stream-lost",
        reconnect: "at-once",
      },
      expect: [{ when: {}, verdict: { ...answered, execution: "not-interrupted" } }],
    },
    {
      name: "stream-lost-with-object",
      levels: { drill: "event-stream", point: "after-commit", reset: "abort", resets: 1 },
      expect: [{ when: {}, verdict: { ...answered, execution: "resumed", executor: "same" } }],
      claims: ["container-reattaches"],
    },
    {
      name: "both-lost",
      levels: {
        subject: SUBJECTS,
        drill: "follow-up",
        point: "after-sync",
        reset: "kill",
        target: "both",
      },
      expect: [
        {
          when: { subject: "container" },
          verdict: {
            ...passed,
            jobStatus: "unanswered",
            newWork: "admitted",
            effects: 1,
            flags: ["unresolved"],
          },
        },
        {
          when: { subject: "container-retry" },
          verdict: { ...passed, jobStatus: "done", newWork: "admitted", effects: 2, flags: ["duplicate"] },
        },
      ],
      claims: EXECUTOR_LOST_CLAIMS,
    },
    {
      name: "both-lost-idle",
      levels: { drill: "follow-up", reset: "kill", target: "both" },
      expect: [{ when: {}, verdict: answered }],
      claims: ["container-resumes"],
    },
    {
      // Accepted and not begun: what was lost is the work before it.
      name: "queued",
      levels: { subject: SUBJECTS, drill: "follow-up", point: "queued", target: "executor" },
      expect: [{ when: {}, verdict: { ...answered, execution: "resumed" } }],
      claims: ["container-queued-runs"],
    },
    {
      name: "queued-without-object",
      levels: { drill: "follow-up", point: "queued", reset: "abort" },
      expect: [{ when: {}, verdict: { ...answered, execution: "resumed", executor: "same" } }],
      claims: ["container-reattaches"],
    },
    {
      name: "same-request",
      levels: { drill: "same-request", reset: "none", resets: 0, reconnect: "at-once" },
      expect: [{ when: {}, verdict: answered }],
    },
    {
      name: "same-request-after-loss",
      levels: { drill: "same-request", reset: "kill", target: ["executor", "both"] },
      expect: [{ when: {}, verdict: answered }],
    },
    {
      // Lost before its files were stored: the session takes no work any more.
      name: "end-failed",
      levels: { drill: "end", point: "after-commit", reset: "kill", target: "executor" },
      expect: [
        {
          when: {},
          verdict: {
            ...cleared,
            jobStatus: "unanswered",
            newWork: "untested",
            effects: 1,
            flags: ["unresolved"],
          },
        },
      ],
      claims: ["container-lost-is-told"],
    },
    {
      name: "end-missing",
      levels: { drill: "end", point: "after-commit", reset: "session-lost", quietMs: 5_000 },
      expect: [
        {
          when: {},
          verdict: {
            ...cleared,
            jobStatus: "missing",
            session: "lost",
            newWork: "untested",
            effects: 1,
            flags: ["unresolved"],
          },
        },
      ],
    },
    {
      // After a stop there is a snapshot too.
      name: "delete",
      levels: {
        drill: ["delete-record-first", "delete-executor-first"],
        reset: "stop",
        target: "executor",
      },
      expect: [{ when: {}, verdict: deleted }],
    },
  ],
  canaries: [
    {
      // The same request is another job to it, in a session of its own; whose session id it is given, it does not ask.
      levels: {
        subject: "canary-second-session",
        drill: "same-request",
        reset: "kill",
        target: "executor",
      },
      verdict: {
        drill: "failed",
        otherOwner: "opened",
        flags: ["duplicate"],
        repeat: ["caller-resubmit"],
      },
    },
  ],
} as const satisfies WrittenExperiment;
