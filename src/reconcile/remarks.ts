/**
 * Findings that decide no axis but that a reader should see beside the verdict: repaired gaps, short waits, signs that
 * agree with or speak against an answer.
 */
import type { JournalRecord } from "../trace/records.ts";
import { takesTurn } from "../trace/resets.ts";
import { movedSession } from "./axes/rebinding.ts";
import type { RepeatsAnswer } from "./axes/repeats.ts";
import { unreadSince } from "./boot-failure.ts";
import type { CaseFile } from "./case-file.ts";
import { completionOf } from "./case-file.ts";
import { conflictsOf, contradictedAnswer } from "./claims.ts";
import { type Finding, finding } from "./finding.ts";
import { doubtOfRuntime } from "./gates/runtime-alive.ts";
import { holesIn, lostBetween } from "./log-continuity.ts";
import { sessionGone } from "./session-records.ts";
import { compareTranscript } from "./transcript.ts";

export function observe(file: CaseFile, repeats: RepeatsAnswer, probeMixedIn: boolean): Finding[] {
  return [
    ...repairedGaps(file),
    ...signsOfLoss(file),
    ...failedReads(file),
    ...waits(file),
    ...activations(file),
    ...unseen(file),
    ...failures(file),
    ...refusedStarts(file),
    ...residue(file),
    ...contradictions(file),
    ...[doubtOfRuntime(file)].filter((doubt) => doubt !== null),
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

/** How often a lost executor's container was asked to start again, and when. */
function refusedStarts({ executorLoss }: CaseFile): Finding[] {
  if (executorLoss === null || executorLoss.refused.length === 0) return [];
  const { performed, gone, refused } = executorLoss;
  const from = (gone ?? performed).at;
  const afterS = refused.map(({ at }) => ((at - from) / 1_000).toFixed(1)).join(", ");
  return [
    finding("execution", "executor-starts-refused", { attempts: refused.length, afterS }, gone, refused),
  ];
}

/** The three signs of an object that forgot, each by itself. */
function signsOfLoss(file: CaseFile): Finding[] {
  const findings: Finding[] = [];
  const written = file.of("marker.written")[0];
  const { newest, resubmitted, look, collect } = file;
  // The beacon of the activation that wrote the marker may be taken only afterwards: it says what was there at its start.
  const began = newest !== null && newest.activation !== written?.activation ? newest : null;
  if (written !== undefined && began !== null && began.seq > written.seq && began.marker === null)
    findings.push(finding("executor", "marker-gone", { marker: file.spec.marker }, written, began));
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
    const { missing, changed, kept } = lostBetween(look, collect.log, file.spec.operationId);
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
    // A log that goes on and has one event otherwise is damaged, and its numbers still mean the same.
    if (kept === 0) findings.push(...aliasedCursor(look, collect.log, changed));
  }
  return findings;
}

/** The same number, and another event: whoever reads on from a cursor of before misses what the log has anew up to there. */
function aliasedCursor(
  look: JournalRecord<"snapshot.log">,
  log: JournalRecord<"snapshot.log">,
  changed: readonly number[],
): Finding[] {
  const [seq] = changed;
  const cursor = look.events.at(-1)?.seq;
  const was = look.events.find((event) => event.seq === seq);
  const is = log.events.find((event) => event.seq === seq);
  if (seq === undefined || cursor === undefined || was === undefined || is === undefined) return [];
  return [finding("session", "log-cursor-aliased", { cursor, seq, was: was.type, is: is.type }, look, log)];
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
    // Nothing else can be read of a session that was deleted.
    const isGone = record.type === "snapshot.transcript" && sessionGone(file) !== null;
    if (record.error === null || isGone) return [];
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

/** A durable counter that jumps: activations of which no record tells. */
function unseen(file: CaseFile): Finding[] {
  const onTime = file.activations.filter(({ late }) => !late);
  const jumps = onTime.some(
    ({ generation }, index) => generation > (onTime[index - 1]?.generation ?? generation) + 1,
  );
  if (!jumps) return [];
  const known = new Set(
    [...file.activations, ...file.of("activation.failed")].flatMap(({ generation }) => generation ?? []),
  );
  return onTime.flatMap((next, index) => {
    const before = onTime[index - 1];
    if (before === undefined || next.generation <= before.generation + 1) return [];
    const { generation: from } = before;
    const { generation: to } = next;
    let count = 0;
    for (let generation = from + 1; generation < to && count < 1_000; generation++)
      if (!known.has(generation)) count++;
    return count === 0
      ? []
      : [finding("executor", "activations-unseen", { from, to, unseen: count }, before, next)];
  });
}

/** Activations that failed, and requests that the model's provider refused after a loss. */
function failures(file: CaseFile): Finding[] {
  const findings: Finding[] = [];
  const failed = file.of("activation.failed");
  const last = failed.at(-1);
  if (last !== undefined)
    findings.push(
      finding("executor", "activation-failed", { activations: failed.length, error: last.error }, failed),
    );
  const unread = unreadSince(file);
  if (unread !== null)
    findings.push(
      finding("session", unread.code, { what: unread.what, error: unread.record.error }, unread.record),
    );
  const from = file.firstLoss?.from ?? Number.POSITIVE_INFINITY;
  const refused = file.of("model.refused").filter(({ seq }) => seq > from);
  const [first] = refused;
  if (first !== undefined)
    findings.push(
      finding(
        "execution",
        "model-refused",
        { requests: refused.length, status: first.status, reason: first.reason },
        refused,
      ),
    );
  return findings;
}

/** What the session still has of its old life at the end, and work that stands elsewhere. */
function residue(file: CaseFile): Finding[] {
  const findings: Finding[] = [];
  const { transcript, log } = file.collect;
  const pending = transcript?.pending.find(({ operationId }) => operationId === file.spec.operationId);
  if (transcript !== null && pending !== undefined && completionOf(file) !== null)
    findings.push(finding("session", "operation-still-pending", { ...pending }, transcript, file.settled));
  findings.push(...otherSchema(file), ...otherReadings(file), ...otherReadOn(file));
  const moved = movedSession(file);
  if (moved !== null && "session" in moved && moved.session !== null)
    findings.push(
      finding(
        "rebinding",
        "session-moved",
        { from: (log ?? transcript)?.session ?? "", to: moved.session, type: moved.type },
        moved,
        log ?? transcript,
      ),
    );
  return findings;
}

/** Tables of before the reset that are gone or are made by another statement, and new ones. */
function otherSchema(file: CaseFile): Finding[] {
  const { schema } = file.collect;
  const before = file
    .of("snapshot.schema")
    .findLast(
      ({ when, error, seq }) => when === "look" && error === null && seq < (file.firstLoss?.from ?? 0),
    );
  if (before === undefined || schema === null || schema.error !== null) return [];
  const now = new Map(schema.tables.map((table) => [table.name, table]));
  const old = new Set(before.tables.map(({ name }) => name));
  const gone = before.tables.filter(({ name }) => !now.has(name)).map(({ name }) => name);
  const changed = before.tables
    .filter(({ name, sql }) => {
      const found = now.get(name);
      return sql !== undefined && found?.sql !== undefined && found.sql !== sql;
    })
    .map(({ name }) => name);
  const added = schema.tables.filter(({ name }) => !old.has(name)).map(({ name }) => name);
  if (gone.length + changed.length === 0) return [];
  const facts = { gone: named(gone), changed: named(changed), added: named(added) };
  return [finding("session", "schema-differs", facts, before, schema)];
}

function named(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

/** Two readings of the same messages that do not agree. */
function otherReadings(file: CaseFile): Finding[] {
  const last = (via: "history" | "messages") =>
    file
      .of("snapshot.transcript")
      .findLast((record) => record.when === "collect" && record.via === via && record.error === null);
  const [history, messages] = [last("history"), last("messages")];
  if (history === undefined || messages === undefined) return [];
  const byId = new Map(messages.messages.map((message) => [message.id, message]));
  const differ = history.messages.filter(({ id, type, hash }) => {
    const found = byId.get(id);
    return found === undefined || found.type !== type || (hash !== undefined && found.hash !== hash);
  });
  const only = messages.messages.filter(({ id }) => !history.messages.some((message) => message.id === id));
  if (differ.length + only.length === 0) return [];
  const facts = {
    history: history.messages.length,
    messages: messages.messages.length,
    differ: named([...differ, ...only].map(({ id }) => id)),
  };
  return [finding("session", "readings-differ", facts, history, messages)];
}

/** A log that, read on, was not the one that the whole read gives. */
function otherReadOn(file: CaseFile): Finding[] {
  const { readOn } = compareTranscript(file);
  if (readOn === null || readOn.missing.length + readOn.reordered.length === 0) return [];
  const on = file.of("snapshot.log").findLast(({ when }) => when === "reconnect");
  return [
    finding(
      "session",
      "log-read-on-differs",
      { missing: readOn.missing.length, reordered: readOn.reordered.length },
      on,
      file.collect.log,
    ),
  ];
}

/** Records that do not fit each other, whatever the counts are. */
function contradictions(file: CaseFile): Finding[] {
  const findings: Finding[] = [];
  const byAction =
    file.attempts.length < 2 ? [] : Map.groupBy(file.attempts, ({ received }) => received.action).values();
  for (const stories of byAction)
    for (const conflict of conflictsOf(stories)) {
      const { earlier, next, key } = conflict;
      const records = [earlier.received, next.received, ...[next.deduplicated].filter((one) => one !== null)];
      findings.push(
        conflict.kind === "payload"
          ? finding(
              "operations",
              "payload-conflict",
              { key, attempt: next.received.attempt, earlier: earlier.received.attempt },
              records,
            )
          : finding(
              "operations",
              "key-conflict",
              {
                attempt: next.received.attempt,
                effect: next.deduplicated?.effect ?? "",
                key,
                effectKey: conflict.effectKey,
              },
              records,
            ),
      );
    }
  const contradicted = contradictedAnswer(file);
  if (contradicted !== null && file.settled !== null)
    findings.push(
      finding(
        "operations",
        "claim-contradicts-answer",
        { claimed: file.settled.claim.claim, answered: contradicted.says },
        contradicted.answer,
        file.settled,
      ),
    );
  for (const read of file.of("entry.read")) {
    if (read.found) continue;
    const commit = file
      .of("effect.committed")
      .find(
        ({ seq, action, key }) =>
          seq < read.seq && action === read.action && (read.key === null || read.key === key),
      );
    if (commit !== undefined)
      findings.push(
        finding(
          "operations",
          "entry-read-stale",
          { action: read.action, effect: commit.effect },
          commit,
          read,
        ),
      );
  }
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
      // A session that was interrupted on request, or whose operation has ended, has no work under way.
      if (file.resets.some(({ performed }) => takesTurn(performed.reset) && performed.seq < seq))
        return false;
      if (file.settled !== null && file.settled.seq < seq) return false;
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
  if (file.spec.agent !== undefined) return [];
  const asked = new Set(
    file.of("model.answered").flatMap(({ toolCalls }) => toolCalls.map(({ call }) => call)),
  );
  return file.attempts.flatMap(({ received, call }) =>
    call === null || asked.has(call)
      ? []
      : [finding("operations", "attempt-not-asked", { attempt: received.attempt, call }, received)],
  );
}
