/**
 * Gate: what the verdict will rest on was recorded, and agrees with itself. The stream of before the reset may have
 * gaps; the read at the end may not. Leaves the ledger's and the model's own numbering to `books-agree.ts`.
 */

import type { HostKind } from "../../trace/levels.ts";
import type { CaseFile } from "../case-file.ts";
import { type Finding, finding } from "../finding.ts";
import { holesIn } from "../log-continuity.ts";

export function checkEvidence(file: CaseFile): Finding[] {
  return [...checkPreparation(file), ...checkOutcome(file), ...checkLog(file)];
}

function checkPreparation(file: CaseFile): Finding[] {
  const { spec } = file;
  const reasons: Finding[] = [];
  const configured = file.of("ledger.configured").at(-1);
  if (configured === undefined) reasons.push(finding("validity", "ledger-not-configured", {}, file.ended));
  else if (configured.destination !== spec.factors.destination)
    reasons.push(
      finding(
        "validity",
        "ledger-contradicts-spec",
        { spec: spec.factors.destination, ledger: configured.destination },
        configured,
      ),
    );
  const marker = file.of("marker.written").at(0);
  if (marker === undefined) reasons.push(finding("validity", "marker-not-written", {}, file.ended));
  else if (marker.marker !== spec.marker)
    reasons.push(finding("validity", "marker-contradicts-spec", { written: marker.marker }, marker));
  else if (marker.seq > (file.resets[0]?.from ?? Number.POSITIVE_INFINITY))
    reasons.push(finding("validity", "marker-written-late", {}, marker, file.resets[0]?.performed));
  if (file.activations.length === 0) reasons.push(finding("validity", "activation-missing", {}, file.ended));
  reasons.push(...checkHost(file));
  if (file.submitted === null) reasons.push(finding("validity", "submission-missing", {}, file.ended));
  return reasons;
}

/** What ran is what was asked for, by the spec and by whoever started the run. */
export function checkHost(file: CaseFile): Finding[] {
  const asked = file.spec.factors.host;
  const strangers = file.activations.filter(({ host }) => host.kind !== asked);
  const reasons: Finding[] = [];
  const [stranger] = strangers;
  if (stranger !== undefined)
    reasons.push(finding("validity", "host-mismatch", { asked, ran: stranger.host.kind }, strangers));
  const started = file.of("trial.started")[0];
  const announced = started?.environment.host.kind;
  // A run has one OpenCode host; subjects without one run beside it.
  if (started !== undefined && announced !== undefined && isChosen(asked) && announced !== asked)
    reasons.push(finding("validity", "host-contradicted", { announced, asked }, started));
  return reasons;
}

/** Whether it is one of the hosts between which a run chooses. */
function isChosen(host: HostKind): boolean {
  return host === "sdk" || host === "stand-in";
}

/** Somebody who asked for the operation's outcome has either got one or waited in vain; both are recorded. */
function checkOutcome(file: CaseFile): Finding[] {
  const reasons: Finding[] = [];
  const closings = file.records.filter(
    (record) => record.type === "operation.settled" || record.type === "wait.expired",
  );
  const asked = file.spec.factors.reconnect !== "never";
  if (asked && closings.length === 0)
    reasons.push(finding("validity", "outcome-missing", {}, file.submitted));
  const again = file.resubmitted;
  if (again !== null && !closings.some(({ seq }) => seq > again.seq))
    reasons.push(finding("validity", "outcome-missing", {}, again));
  const settle = file
    .of("phase.entered")
    .find(({ phase, seq }) => phase === "settle" && seq > (file.settled?.seq ?? 0));
  if (settle === undefined)
    reasons.push(finding("validity", "settle-window-missing", {}, file.settled, file.ended));
  return reasons;
}

function checkLog(file: CaseFile): Finding[] {
  const { log } = file.collect;
  if (log === null) return [finding("validity", "log-missing", {}, file.ended)];
  if (log.error !== null) return [finding("validity", "log-unreadable", { error: log.error }, log)];
  if (!log.offered) {
    const earlier = file.of("snapshot.log").filter((record) => record.offered);
    return earlier.length === 0 ? [] : [finding("validity", "log-contradicts-itself", {}, earlier, log)];
  }
  const reasons: Finding[] = [];
  if (log.after !== null) reasons.push(finding("validity", "log-not-whole", { after: log.after }, log));
  if (log.synced === null) reasons.push(finding("validity", "log-unsynced", {}, log));
  const holes = holesIn(log);
  const [hole] = holes;
  if (hole !== undefined)
    reasons.push(
      finding("validity", "recorder-gap", { from: hole.from, to: hole.to, gaps: holes.length }, log),
    );
  return reasons;
}
