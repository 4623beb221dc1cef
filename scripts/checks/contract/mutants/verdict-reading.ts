/** A verdict as flat values that two trials of one condition can be compared by. Pure. */
import { expectableWords } from "../../../../src/reconcile/expectation.ts";
import type { Verdict } from "../../../../src/reconcile/verdict.ts";

export type Reading = Readonly<Record<string, string>>;

/** Leaves out what differs between any two trials: ids, times, record numbers. */
export function readingOf(verdict: Verdict): Reading {
  const { rebinding, transcript } = verdict;
  return {
    validity: list([verdict.validity.value, ...verdict.validity.reasons.map(({ code }) => code)]),
    ...axisReadings(verdict),
    "old work": rebinding.oldWork,
    result: rebinding.result,
    "new work": rebinding.newWork,
    "call mismatches": list(verdict.callMismatches.map(({ recorded }) => recorded)),
    "open calls": String(verdict.openCalls.length),
    "model calls": String(verdict.usage?.modelCalls ?? "unrecorded"),
    "missing from the log": String(transcript.missing?.length ?? "not known"),
    "damaged in the log": String(transcript.damaged?.length ?? "not known"),
    attribution: verdict.attribution.value,
    findings: list(verdict.findings.map(({ code }) => code).toSorted()),
  };
}

/** Every word that an axis offers to be expected. */
function axisReadings(verdict: Verdict): Reading {
  return Object.fromEntries(
    Object.entries(expectableWords(verdict)).map(([key, words]) => [key, list(words)]),
  );
}

/** In order, with what repeats itself counted. */
function list(values: readonly (string | number)[]): string {
  const runs: { value: string | number; times: number }[] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last?.value === value) last.times += 1;
    else runs.push({ value, times: 1 });
  }
  return runs.map(({ value, times }) => (times === 1 ? value : `${times} × ${value}`)).join(", ") || "none";
}

export type Change = { readonly axis: string; readonly sound: string; readonly broken: string };

export function changesOf(sound: Reading, broken: Reading): Change[] {
  return Object.keys(sound).flatMap((axis) => {
    const [before, after] = [sound[axis] ?? "", broken[axis] ?? ""];
    return before === after ? [] : [{ axis, sound: before, broken: after }];
  });
}
