/**
 * Gate: the trial's fault happened where and how the spec says. A trial whose point was not reached, or whose reset
 * cannot be shown to have taken the host away, says nothing about recovery.
 */

import { executorSyncMsOf } from "../../trace/heartbeats.ts";
import { POINTS } from "../../trace/points.ts";
import { plannedResets, traitsOf } from "../../trace/resets.ts";
import { EXECUTOR_RESET_TRAITS, isExecutorReset } from "../../trace/targets.ts";
import { isSameAct } from "../../trace/writes.ts";
import type { CaseFile, ExecutorLoss, ResetStory } from "../case-file.ts";
import { type Deciding, type Finding, finding } from "../finding.ts";

export function checkFault(file: CaseFile): Finding[] {
  return [...checkPoint(file), ...checkResets(file), ...checkProcesses(file), ...checkExecutors(file)];
}

/** A process that ended by itself is a loss that the trial did not ask for. */
function checkProcesses(file: CaseFile): Finding[] {
  return file
    .of("process.ended")
    .flatMap((ended) =>
      ended.meant
        ? []
        : [
            finding(
              "validity",
              "process-died",
              { pid: ended.pid, signal: ended.signal, exitCode: ended.exitCode },
              ended,
            ),
          ],
    );
}

/** Whoever works in a container was started in one, and ended only when somebody ended it. */
function checkExecutors(file: CaseFile): Finding[] {
  const missing =
    file.spec.container !== undefined && file.of("executor.started").length === 0
      ? [finding("validity", "executor-missing", {}, file.ended)]
      : [];
  const died = file
    .of("executor.ended")
    .filter(({ cause }) => cause === "by-itself")
    .map((ended) =>
      finding(
        "validity",
        "executor-died",
        { pid: ended.pid, signal: ended.signal, exitCode: ended.exitCode },
        ended,
      ),
    );
  return [...missing, ...died];
}

function checkPoint(file: CaseFile): Finding[] {
  const { point } = file.spec.factors;
  const { held, files } = POINTS[point];
  const before = file.resets[0]?.from ?? Number.POSITIVE_INFINITY;
  const missing = (detail: string) => [
    finding("validity", "point-not-reached", { point, detail }, file.resets[0]?.performed),
  ];
  if (point === "none") return [];
  if (point === "write") return checkWrite(file);
  if (point === "after-answer") {
    const settled = file.of("operation.settled").find((record) => record.seq < before);
    return settled === undefined ? missing("the operation had not settled before the reset") : [];
  }
  if (point === "accepted") {
    const { submitted } = file;
    if (submitted?.accepted !== true) return missing("the subject did not accept the operation");
    const answered = file.of("model.answered").find(({ seq, call }) => seq < before && file.turns.has(call));
    return answered === undefined
      ? []
      : [
          finding(
            "validity",
            "point-contradicted",
            { point, attempt: null, call: answered.call },
            submitted,
            answered,
          ),
        ];
  }
  if (point === "during-recovery") {
    const [first, second] = file.resets;
    if (first === undefined || second === undefined) return missing("there were fewer than two resets");
    const between = first.successor !== null && first.successor.seq < second.from;
    return between ? [] : missing("no activation between the first reset and the second");
  }
  // An agent of somebody's own is held nowhere after its receipt: that it was sent is the place.
  if (point === "after-receipt" && file.spec.agent !== undefined)
    return file.of("receipt.sent").some(({ seq }) => seq < before)
      ? []
      : missing("no receipt was sent before it");
  const reached = file.of("hold.reached").find(
    ({ seq, hold }) =>
      seq < before &&
      (hold.point === held ||
        // The request after a stored result is the second one of the model: both names are the same place.
        (point === "after-receipt" && hold.point === "model-request" && hold.occurrence > 1)),
  );
  if (reached === undefined) return missing("no such hold was reached before the reset");
  if (point === "queued") {
    const unproven = unprovenQueue(file, before);
    if (unproven !== null) return missing(unproven);
  }
  const story = file.attempts.find(({ received }) => received.attempt === reached.attempt);
  const committedBefore = story?.committed !== null && (story?.committed?.seq ?? Infinity) < reached.seq;
  const contradicted =
    (files === "stored" &&
      (file.resets[0]?.requested?.at ?? Infinity) - reached.at < executorSyncMsOf(file.spec)) ||
    (held === "after-commit" && !(committedBefore || story?.deduplicated != null)) ||
    (point === "before-commit" && (story === undefined || committedBefore)) ||
    ((point === "model-request" || point === "model-stream") &&
      !file.of("model.requested").some(({ seq, call }) => call === reached.call && seq < reached.seq)) ||
    (point === "after-receipt" && !file.of("receipt.sent").some(({ seq }) => seq < reached.seq));
  if (!contradicted) return [];
  return [
    finding(
      "validity",
      "point-contradicted",
      { point, attempt: reached.attempt, call: reached.call },
      reached,
      story?.received,
    ),
  ];
}

/** What keeps the operation from having waited in the session's queue until `before`; null when nothing does. */
function unprovenQueue(file: CaseFile, before: number): string | null {
  const ahead = file.of("ahead.submitted")[0];
  if (ahead?.accepted !== true || file.submitted?.accepted !== true || ahead.seq > file.submitted.seq)
    return "it was not accepted behind other work";
  // A session does one thing after the other, and what stood before it had asked and was not answered.
  const asked = file.of("model.requested").filter(({ seq }) => seq < before);
  return asked.length > 1 || file.of("model.answered").some(({ seq }) => seq < before)
    ? "the model was asked for more than what stood before it"
    : null;
}

/** The object ended where it was to end: at that write, with nothing asked for beyond what stands or falls with it. */
function checkWrite(file: CaseFile): Finding[] {
  const { write: wanted } = file.spec.factors;
  const { performed } = file.resets[0] ?? {};
  if (wanted === undefined) return [];
  const { number, side } = wanted;
  const was = performed?.write;
  if (was === undefined) return [finding("validity", "write-not-reached", { number, side }, performed)];
  if (!isSameAct(was, wanted) || was.side !== side)
    return [
      finding("validity", "write-not-the-one", { number, side, was: was.number, on: was.side }, performed),
    ];
  const passed = side === "before" ? was.last !== was.number - 1 : was.lastGroup !== was.group;
  return passed ? [finding("validity", "write-passed", { number, side, last: was.last }, performed)] : [];
}

/** A reset that its performer refused is a reason of its own, whatever else the trial then did. */
export function checkRefusals(file: CaseFile): Finding[] {
  return file
    .of("reset.refused")
    .map((record) =>
      finding("validity", "reset-refused", { reset: record.reset, error: record.error }, record),
    );
}

function checkResets(file: CaseFile): Finding[] {
  const { reset } = file.spec.factors;
  const planned = plannedResets(file.spec.factors);
  const wanted = planned.length;
  const reasons = checkRefusals(file);
  if (reasons.length === 0 && file.resets.length < wanted)
    reasons.push(
      finding(
        "validity",
        "reset-not-performed",
        { reset, wanted, performed: file.resets.length },
        file.of("reset.requested"),
      ),
    );
  const unplanned = file.resets.filter(({ performed }, index) => performed.reset !== planned[index]);
  if (file.resets.length > wanted || unplanned.length > 0)
    reasons.push(
      finding(
        "validity",
        "reset-unplanned",
        { reset, wanted, performed: file.resets.length },
        file.resets.map(({ performed }) => performed),
      ),
    );
  file.resets.forEach((story, index) => {
    if (story.ordinal !== index + 1 || story.requested === null)
      reasons.push(
        finding(
          "validity",
          "reset-books-broken",
          { ordinal: story.ordinal },
          story.performed,
          story.requested,
        ),
      );
    reasons.push(...checkDelivery(story));
    if (index === 0) reasons.push(...checkExecutorLoss(file));
  });
  return reasons;
}

/** Whether one reset took its host away, and nothing shows the old one alive after it. */
function checkDelivery(story: ResetStory): Finding[] {
  const { owner, successor, performed, signsOfLife } = story;
  const { reset } = performed;
  const traits = traitsOf(reset);
  if (traits === null || traits.proof === null || !story.hostLoss) return [];
  const undelivered = (detail: string, ...more: Deciding[]) => [
    finding(
      "validity",
      "reset-not-delivered",
      { reset, ordinal: story.ordinal, detail },
      owner,
      performed,
      successor,
      ...more,
    ),
  ];
  if (owner === null) return undelivered("no activation is known from before the reset");
  const [sign] = signsOfLife;
  if (sign !== undefined)
    return undelivered(`the old activation was alive after it (${sign.type})`, signsOfLife);
  const unproven = traits.ends === undefined ? null : unprovenEnd(performed, traits.ends);
  if (unproven !== null) return undelivered(unproven);
  // A process that is proven dead took the object with it, whether or not it ever came back.
  if (successor === null)
    return hasEnded(performed) ? [] : undelivered("no new activation, and no process is known to have ended");
  if (traits.proof === "activation") return [];
  if (successor.isolate === owner.isolate) return undelivered("the new activation runs in the old isolate");
  if (traits.proof === "isolate") return [];
  const versions = [owner, successor].map(({ version }) => `${version.id}\n${version.tag}`);
  if (versions[0] === versions[1] && versions[0] !== "\n")
    return undelivered("the old version is still answering");
  return [];
}

/** Whether the reset took the executor that it was to take, and nothing shows that one alive while it is gone. */
function checkExecutorLoss(file: CaseFile): Finding[] {
  const { executorLoss } = file;
  if (executorLoss === null) return [];
  const { performed, gone, refused, signsOfLife } = executorLoss;
  const { reset } = performed;
  const undelivered = (detail: string, ...more: Deciding[]) => [
    finding("validity", "executor-not-lost", { reset, detail }, performed, gone, ...more),
  ];
  if (gone === null) return undelivered("no executor is recorded to have been taken by it");
  if (gone.type === "executor.ended" && gone.signal !== "SIGKILL")
    return undelivered(`it was not ended by the signal (${gone.signal ?? `exit code ${gone.exitCode}`})`);
  if (isExecutorReset(reset) && EXECUTOR_RESET_TRAITS[reset].refusesStarts === true && refused.length === 0)
    return undelivered("no start was refused after it");
  const [sign] = signsOfLife;
  if (sign !== undefined) return undelivered(`it was alive after it was gone (${sign.type})`, signsOfLife);
  return checkUnsynced(file, gone);
}

/** At a point in the turn an executor is lost with its files, and they are stored from time to time while it works. */
function checkUnsynced({ spec, of }: CaseFile, gone: NonNullable<ExecutorLoss["gone"]>): Finding[] {
  const { point } = spec.factors;
  if (POINTS[point].files !== "not-stored") return [];
  // No sooner than both: nobody records when the agent itself is started.
  const began = [
    of("phase.entered").findLast(({ phase, seq }) => phase === "submit" && seq < gone.seq),
    of("executor.started").findLast(({ seq }) => seq < gone.seq),
  ].map((record) => record?.at ?? Number.NEGATIVE_INFINITY);
  const syncMs = executorSyncMsOf(spec);
  const afterMs = gone.at - Math.max(...began);
  return afterMs < syncMs
    ? []
    : [finding("validity", "executor-lost-late", { point, afterMs, syncMs }, gone)];
}

type Performed = ResetStory["performed"];

function hasEnded({ process }: Performed): boolean {
  return (
    process !== null &&
    (process.signal !== null || process.exitCode !== null) &&
    process.nextPid !== process.pid
  );
}

/** What the record of a process lacks to show that the process ended as the reset says; null when nothing. */
function unprovenEnd(performed: Performed, ends: "by-signal" | "in-any-way"): string | null {
  const { process } = performed;
  if (process === null) return "no process is recorded to have ended";
  if (process.nextPid === process.pid) return "the process that took its place is the same one";
  if (!hasEnded(performed)) return "the process was not seen to end";
  return ends === "by-signal" && process.signal === null
    ? `the process was not ended by a signal (exit code ${process.exitCode})`
    : null;
}
