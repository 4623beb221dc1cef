/**
 * A golden set: traces whose verdicts are settled, in `traces/golden/<set>/`. `taken/` holds traces as they were
 * recorded, `expected.jsonl` the verdict of each and of one spoilt copy of it. Copies are not stored: a copy's name says
 * of which trace it is made and in which way, `damaged/<taken>~<way>.jsonl`, and making it gives the same bytes every
 * time. Whoever changes the judge sees here what that does to results that were already read and believed.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { Verdict } from "../../../src/reconcile/verdict.ts";
import { byCodeUnit } from "../../../src/trace/by-code-unit.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { judgeTrace } from "../../stored/judge-trace.ts";
import { EXPECTED_FILE, VERDICTS_FILE } from "../../stored/trace-names.ts";
import { DAMAGES } from "./damage.ts";

export const GOLDEN_FOLDER = join(REPOSITORY, "traces", "golden");

/** A trace under the name that it is kept by. */
export type NamedTrace = { readonly name: string; readonly text: string };

/** A spoilt copy: of which trace, and spoilt in which way. */
type Copy = { readonly of: string; readonly way: string };

const ExpectedLine = z.strictObject({ trace: z.string(), verdict: Verdict });

export function goldenSets(folder = GOLDEN_FOLDER): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort();
}

type SetCheck = {
  /** How many verdicts were computed, of taken traces and of spoilt copies. */
  readonly judged: { readonly taken: number; readonly damaged: number };
  /** Where they differ from the expected ones, a line each; nothing when they are the same bytes. */
  readonly differences: readonly string[];
};

export function checkSet(set: string): SetCheck {
  const path = join(set, EXPECTED_FILE);
  if (!existsSync(path))
    return {
      judged: { taken: 0, damaged: 0 },
      differences: [`${basename(set)}: there is no ${EXPECTED_FILE}`],
    };
  const expected = byTrace(readFileSync(path, "utf8"));
  const found = byTrace(verdictsText(set, copiesOf(set)));
  const differences = [...new Set([...expected.keys(), ...found.keys()])].sort().flatMap((trace) => {
    const [wanted, actual] = [expected.get(trace), found.get(trace)];
    if (wanted === actual) return [];
    if (actual === undefined)
      return [
        `${basename(set)}/${trace}: ${copyNamed(trace) === null ? "the trace is gone" : "it can no longer be made"}`,
      ];
    if (wanted === undefined) return [`${basename(set)}/${trace}: no verdict is expected of it`];
    return [`${basename(set)}/${trace}: ${differingFields(wanted, actual).join(", ")}`];
  });
  const damaged = [...found.keys()].filter((trace) => copyNamed(trace) !== null).length;
  return { judged: { taken: found.size - damaged, damaged }, differences };
}

/** Writes the verdicts that the judge gives now. For a change of the judge that is meant. */
export function acceptSet(set: string): void {
  writeFileSync(join(set, EXPECTED_FILE), verdictsText(set, copiesOf(set)));
}

/**
 * Makes the set anew from these traces, each to be spoilt in one way.
 *
 * @throws Error when the judge takes a spoilt trace for a valid one: then the set would bless a fault of the judge.
 */
export function writeSet(set: string, traces: readonly NamedTrace[]): void {
  rmSync(set, { recursive: true, force: true });
  mkdirSync(join(set, "taken"), { recursive: true });
  for (const { name, text } of traces) writeFileSync(join(set, "taken", `${name}.jsonl`), text);
  const copies = traces.map(({ name, text }, index) => ({ of: name, way: wayFor(text, index) }));
  const verdicts = verdictsText(set, copies);
  for (const line of verdicts.trimEnd().split("\n")) {
    const { trace, verdict } = ExpectedLine.parse(JSON.parse(line));
    if (copyNamed(trace) !== null && verdict.validity.value !== "invalid")
      throw new Error(`the judge takes ${trace} for a valid trial, although it was spoilt`);
  }
  writeFileSync(join(set, EXPECTED_FILE), verdicts);
}

/** The first way from there on that applies to the trace, so that a set as a whole is spoilt in all of them. */
function wayFor(text: string, index: number): string {
  const ways = Object.keys(DAMAGES);
  const first = index % ways.length;
  const found = [...ways.slice(first), ...ways].find((way) => damagedText(text, way) !== null);
  if (found === undefined) throw new Error("no damage applies to the trace");
  return found;
}

/** Null when there is no such way, or the trace has nothing of the kind to spoil. */
function damagedText(text: string, way: string): string | null {
  const damaged = DAMAGES[way]?.(text.trimEnd().split("\n")) ?? null;
  return damaged === text ? null : damaged;
}

/** The copies that the set names; of a taken trace that it names none of, one that could be made of it. */
function copiesOf(set: string): Copy[] {
  const path = join(set, EXPECTED_FILE);
  const named = existsSync(path)
    ? [...byTrace(readFileSync(path, "utf8")).keys()].map(copyNamed).filter((copy) => copy !== null)
    : [];
  return takenNames(set).flatMap((name, index) => {
    const own = named.filter((copy) => copy.of === name);
    return own.length > 0 ? own : [{ of: name, way: wayFor(takenText(set, name), index) }];
  });
}

function copyNamed(trace: string): Copy | null {
  const [, of, way] = /^damaged\/(.+)~([a-z-]+)\.jsonl$/.exec(trace) ?? [];
  return of === undefined || way === undefined ? null : { of, way };
}

/** The lines of `expected.jsonl` as they are now: of the copies first, then of the taken traces, each by name. */
function verdictsText(set: string, copies: readonly Copy[]): string {
  // The judge is given files, as everywhere, so that reading them is checked too.
  const folder = mkdtempSync(join(tmpdir(), "recovery-kit-golden-"));
  try {
    const damaged = copies.flatMap(({ of, way }) => {
      const text = damagedText(takenText(set, of), way);
      if (text === null) return [];
      const path = join(folder, `${of}~${way}.jsonl`);
      writeFileSync(path, text);
      return [path];
    });
    const taken = takenNames(set).map((name) => takenPath(set, name));
    return [...lines("damaged", damaged), ...lines("taken", taken)].join("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lines(kind: string, paths: readonly string[]): string[] {
  return paths.toSorted(byFileName).map((path) => {
    const { verdict } = judgeTrace(path);
    return `${JSON.stringify(ExpectedLine.parse({ trace: `${kind}/${basename(path)}`, verdict }))}\n`;
  });
}

function byFileName(a: string, b: string): number {
  return byCodeUnit(basename(a), basename(b));
}

/** Without the ending, by file name. */
function takenNames(set: string): string[] {
  const folder = join(set, "taken");
  if (!existsSync(folder)) throw new UserError(`'${folder}' is missing: it belongs to a golden set`);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl") && name !== VERDICTS_FILE)
    .sort()
    .map((name) => name.slice(0, -".jsonl".length));
}

function takenPath(set: string, name: string): string {
  return join(set, "taken", `${name}.jsonl`);
}

function takenText(set: string, name: string): string {
  return readFileSync(takenPath(set, name), "utf8");
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
