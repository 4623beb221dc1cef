/**
 * Findings that decide no axis but that a reader should see beside the verdict: repaired gaps, short waits, signs that
 * agree with or speak against an answer.
 */
import type { JournalRecord } from "../trace/records.ts";
import type { RepeatsAnswer } from "./axes/repeats.ts";
import type { CaseFile } from "./case-file.ts";
import { type Finding, finding } from "./finding.ts";
import { holesIn, lostBetween } from "./log-continuity.ts";

export function observe(file: CaseFile, repeats: RepeatsAnswer, probeMixedIn: boolean): Finding[] {
  return [
    ...repairedGaps(file),
    ...signsOfLoss(file),
    ...failedReads(file),
    ...waits(file),
    ...activations(file),
    ...claims(file),
    ...asking(file),
    ...repeats
      .filter(({ cause }) => cause === "runtime-replay" || cause === "tool-internal-retry")
      .map(({ attempt, cause, evidence }) => ({
        ...finding("operations", "repeat-invisible-in-log", { attempt, cause }),
        evidence,
      })),
    ...(probeMixedIn ? [finding("usage", "probe-usage-mixed", {}, file.probe)] : []),
  ];
}

/** A hole in an earlier read is no loss when the read at the end is whole. */
function repairedGaps(file: CaseFile): Finding[] {
  const { log } = file.collect;
  if (log === null || log.error !== null || log.synced === null || holesIn(log).length > 0) return [];
  return file.of("snapshot.log").flatMap((earlier) => {
    const [hole] = earlier.seq < log.seq ? holesIn(earlier) : [];
    if (hole === undefined) return [];
    return [finding("validity", "recorder-gap-repaired", { from: hole.from, to: hole.to }, earlier, log)];
  });
}

/** The three signs of an object that forgot, each by itself. */
function signsOfLoss(file: CaseFile): Finding[] {
  const findings: Finding[] = [];
  const written = file.of("marker.written")[0];
  const { newest, resubmitted, look, collect } = file;
  if (written !== undefined && newest !== null && newest.seq > written.seq && newest.marker === null)
    findings.push(finding("executor", "marker-gone", { marker: file.spec.marker }, written, newest));
  if (resubmitted !== null && file.submitted?.accepted === true)
    findings.push(
      finding(
        "executor",
        "known-operation-accepted-as-new",
        { operationId: resubmitted.operationId },
        file.submitted,
        resubmitted,
      ),
    );
  if (look !== null && collect.log?.offered && collect.log.error === null) {
    const { missing, changed } = lostBetween(look, collect.log, file.spec.operationId);
    if (missing.length + changed.length > 0)
      findings.push(
        finding(
          "session",
          "log-differs-from-look",
          { missing: missing.length, changed: changed.length },
          look,
          collect.log,
        ),
      );
  }
  return findings;
}

/** Reads before the end that failed: what they would have shown cannot be compared. */
function failedReads(file: CaseFile): Finding[] {
  return file.records.flatMap((record) => {
    if (
      record.type !== "snapshot.log" &&
      record.type !== "snapshot.schema" &&
      record.type !== "snapshot.transcript" &&
      record.type !== "snapshot.jobs"
    )
      return [];
    if (record.error === null) return [];
    return [
      finding(
        "session",
        "read-failed",
        { what: record.type, when: record.when, error: record.error },
        record,
      ),
    ];
  });
}

function waits(file: CaseFile): Finding[] {
  const findings = file
    .of("wait.expired")
    .map((record) =>
      finding("timings", "wait-expired", { waitedFor: record.waitedFor, boundMs: record.boundMs }, record),
    );
  const started = file.of("quiet.started").at(-1);
  const ended = file.of("quiet.ended").at(-1);
  const { quietMs, settleMs, reconnect } = file.spec.factors;
  if (reconnect === "after-quiet" && started !== undefined && ended !== undefined) {
    const keptMs = ended.at - started.at;
    if (keptMs < quietMs)
      findings.push(finding("autonomous", "quiet-too-short", { keptMs, quietMs }, started, ended));
  }
  const phases = file.of("phase.entered");
  const settle = phases.findLast(({ phase }) => phase === "settle");
  const collect = phases.findLast(({ phase }) => phase === "collect");
  if (settle !== undefined && collect !== undefined && collect.at - settle.at < settleMs)
    findings.push(
      finding(
        "operations",
        "settle-too-short",
        { keptMs: collect.at - settle.at, settleMs },
        settle,
        collect,
      ),
    );
  return findings;
}

function activations(file: CaseFile): Finding[] {
  const findings = file.unrecorded.map(({ activation, seq }) =>
    finding("executor", "activation-unrecorded", { activation }, { seq }),
  );
  for (const { performed, owner, successor } of file.resets)
    if (
      performed.reset === "abort" &&
      owner !== null &&
      successor !== null &&
      owner.isolate !== successor.isolate
    )
      findings.push(finding("validity", "isolate-lost-too", {}, owner, performed, successor));
  const unplanned = unplannedLives(file);
  if (unplanned.length > 0)
    findings.push(finding("executor", "activations-unplanned", { activations: unplanned.length }, unplanned));
  return findings;
}

/**
 * Activations that no reset explains and that came while work was under way. A runtime evicts idle objects as it
 * pleases; one that loses its object in the middle of work did something that the trial did not ask for.
 */
function unplannedLives(file: CaseFile): JournalRecord<"subject.activated">[] {
  const explained = new Set(file.resets.map(({ successor }) => successor?.activation));
  return file.activations
    .filter((activation, index) => index > 0 && !activation.late && !explained.has(activation.activation))
    .filter(({ seq }) => {
      const asked = file.of("model.requested").findLast((record) => record.seq < seq);
      if (asked === undefined) return false;
      const answered = file
        .of("model.answered")
        .find((record) => record.call === asked.call && record.seq < seq);
      return answered === undefined || answered.finish === "tool-calls";
    });
}

function claims(file: CaseFile): Finding[] {
  const { settled } = file;
  const receipt = settled?.claim.receipt ?? null;
  if (settled === null || receipt === null) return [];
  const known = file.of("effect.committed").some((record) => record.receipt === receipt);
  return known ? [] : [finding("operations", "claimed-receipt-unknown", { receipt }, settled)];
}

/** Attempts under a call id that no recorded model answer asked for. */
function asking(file: CaseFile): Finding[] {
  const asked = new Set(
    file.of("model.answered").flatMap(({ toolCalls }) => toolCalls.map(({ call }) => call)),
  );
  return file.attempts
    .filter(({ received }) => !asked.has(received.call))
    .map(({ received }) =>
      finding(
        "operations",
        "attempt-not-asked",
        { attempt: received.attempt, call: received.call },
        received,
      ),
    );
}
