/**
 * A golden set: traces whose verdicts are settled, in `traces/golden/<set>/`. `taken/` holds traces as they were
 * recorded, `damaged/` the same ones spoilt, `expected.jsonl` the verdict of each. Whoever changes the judge sees here
 * what that does to results that were already read and believed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { Verdict } from "../../../src/reconcile/verdict.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { VERDICTS_FILE } from "../../stored/judge-run.ts";
import { judgeTrace } from "../../stored/judge-trace.ts";
import { DAMAGES } from "./damage.ts";

export const GOLDEN_FOLDER = join(REPOSITORY, "traces", "golden");
const EXPECTED_FILE = "expected.jsonl";
const KINDS = ["damaged", "taken"] as const;

/** A trace under the name that it is kept by. */
export type NamedTrace = { readonly name: string; readonly text: string };

const ExpectedLine = z.strictObject({ trace: z.string(), verdict: Verdict });

export function goldenSets(folder = GOLDEN_FOLDER): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort();
}

/** Where the judge's verdicts differ from the expected ones, a line each; nothing when they are the same bytes. */
export function checkSet(set: string): string[] {
  const path = join(set, EXPECTED_FILE);
  if (!existsSync(path)) return [`${basename(set)}: there is no ${EXPECTED_FILE}`];
  const expected = byTrace(readFileSync(path, "utf8"));
  const found = byTrace(expectedText(set));
  return [...new Set([...expected.keys(), ...found.keys()])].sort().flatMap((trace) => {
    const [wanted, actual] = [expected.get(trace), found.get(trace)];
    if (wanted === actual) return [];
    if (actual === undefined) return [`${basename(set)}/${trace}: the trace is gone`];
    if (wanted === undefined) return [`${basename(set)}/${trace}: no verdict is expected of it`];
    return [`${basename(set)}/${trace}: ${differingFields(wanted, actual).join(", ")}`];
  });
}

/** Writes the verdicts that the judge gives now. For a change of the judge that is meant. */
export function acceptSet(set: string): void {
  writeFileSync(join(set, EXPECTED_FILE), expectedText(set));
}

/**
 * Makes the set anew from these traces, each with one spoilt copy beside it.
 *
 * @throws Error when the judge takes a spoilt trace for a valid one: then the set would bless a fault of the judge.
 */
export function writeSet(set: string, traces: readonly NamedTrace[]): void {
  rmSync(set, { recursive: true, force: true });
  for (const kind of KINDS) mkdirSync(join(set, kind), { recursive: true });
  const ways = Object.keys(DAMAGES);
  traces.forEach(({ name, text }, index) => {
    writeFileSync(join(set, "taken", `${name}.jsonl`), text);
    const [way, damaged] = spoil(text, [...ways.slice(index % ways.length), ...ways]);
    const path = join(set, "damaged", `${name}~${way}.jsonl`);
    writeFileSync(path, damaged);
    if (judgeTrace(path).verdict.validity.value !== "invalid")
      throw new Error(`the judge takes ${path} for a valid trial, although it was spoilt (${way})`);
  });
  acceptSet(set);
}

function spoil(text: string, ways: readonly string[]): [way: string, text: string] {
  const lines = text.trimEnd().split("\n");
  for (const way of ways) {
    const damaged = DAMAGES[way]?.(lines) ?? null;
    if (damaged !== null && damaged !== text) return [way, damaged];
  }
  throw new Error("no damage applies to the trace");
}

function expectedText(set: string): string {
  return KINDS.flatMap((kind) =>
    traceNames(join(set, kind)).map((name) => {
      const { verdict } = judgeTrace(join(set, kind, name));
      return `${JSON.stringify(ExpectedLine.parse({ trace: `${kind}/${name}`, verdict }))}\n`;
    }),
  ).join("");
}

function traceNames(folder: string): string[] {
  if (!existsSync(folder)) throw new UserError(`'${folder}' is missing: it belongs to a golden set`);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl") && name !== VERDICTS_FILE)
    .sort();
}

/** Lines by the trace that they are about. */
function byTrace(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [/^\{"trace":"([^"]+)"/.exec(line)?.[1] ?? line, line]));
}

function differingFields(wanted: string, actual: string): string[] {
  const [before, now] = [wanted, actual].map((line) => (JSON.parse(line) as { verdict: object }).verdict);
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(now ?? {})]);
  const text = (verdict: object | undefined, name: string) =>
    JSON.stringify(Reflect.get(verdict ?? {}, name));
  const differing = [...names].filter((name) => text(before, name) !== text(now, name));
  if (differing.length === 0) return ["the same verdict in other bytes"];
  return differing.map((name) => `${name} was ${cut(text(before, name))}, is ${cut(text(now, name))}`);
}

function cut(text: string | undefined): string {
  return text === undefined ? "absent" : text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
