/**
 * Gate: the journal is one whole account, begun by `trial.started`, ended by `trial.ended`, for the trial that its
 * header names. Leaves the file's lines and hashes to `src/trace/file.ts`, whose problems are taken over as they are.
 */
import { deepEqual } from "../../trace/deep-equal.ts";
import type { ParsedTrace } from "../../trace/file.ts";
import { ofType } from "../../trace/records.ts";
import { type Finding, finding } from "../finding.ts";

/** What is wrong with the file or with the list of its records. Any of it leaves every axis undecided. */
export function checkFile(parsed: ParsedTrace): Finding[] {
  const reasons: Finding[] = parsed.problems.map(({ code, line, detail }) =>
    finding("validity", code, { line, detail }),
  );
  const known = new Set(reasons.map((reason) => reason.code));
  const { header, records } = parsed;
  if (records.length === 0 && !known.has("empty-file")) reasons.push(finding("validity", "no-records", {}));
  if (header === null && !known.has("header-unreadable") && !known.has("empty-file"))
    reasons.push(finding("validity", "header-unreadable", { line: 1, detail: "there is no header" }));
  if (header !== null && header.records !== records.length && !known.has("tail-missing"))
    reasons.push(
      finding("validity", "tail-missing", {
        line: 0,
        detail: `the header announces ${header.records} records, there are ${records.length}`,
      }),
    );
  const gap = records.findIndex((record, index) => record.seq !== index + 1);
  if (gap !== -1 && !known.has("seq-broken"))
    reasons.push(
      finding("validity", "seq-broken", {
        line: gap + 2,
        detail: `expected seq ${gap + 1}, found ${records[gap]?.seq ?? null}`,
      }),
    );
  const started = records[0];
  if (records.length > 0 && started?.type !== "trial.started")
    reasons.push(finding("validity", "start-missing", {}, started));
  if (
    header !== null &&
    started?.type === "trial.started" &&
    (header.trial !== started.spec.trial ||
      header.run !== started.spec.run ||
      !deepEqual(header.spec, started.spec) ||
      !deepEqual(header.environment, started.environment))
  )
    reasons.push(
      finding("validity", "header-contradicts-journal", {
        line: 1,
        detail: "spec or environment in the header differ from those in trial.started",
      }),
    );
  return reasons;
}

/** Whether the trial ran to its end, once, and nothing was written after it. */
export function checkEnding(parsed: ParsedTrace): Finding[] {
  const { records } = parsed;
  const reasons: Finding[] = [];
  const starts = ofType(records, "trial.started");
  if (starts.length > 1) reasons.push(finding("validity", "started-twice", { times: starts.length }, starts));
  const ends = ofType(records, "trial.ended");
  const ended = ends.at(-1);
  if (ended === undefined) return [...reasons, finding("validity", "end-missing", {}, records.at(-1))];
  if (ends.length > 1) reasons.push(finding("validity", "ended-twice", { times: ends.length }, ends));
  if (ended.reason !== "completed")
    reasons.push(finding("validity", ended.reason, { detail: ended.detail }, ended));
  const after = records.filter((record) => record.seq > ended.seq);
  if (after.length > 0)
    reasons.push(finding("validity", "records-after-end", { records: after.length }, ended, after));
  return reasons;
}
