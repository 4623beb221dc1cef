/**
 * Traces for measuring: copies of real ones under ids of their own, each a whole file with a chain that holds. Without
 * a stored run, the known cases stand in, which are shorter than real traces.
 */
import { hash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { t01, t02 } from "../../../src/reconcile/cases/traces.ts";
import { GENESIS } from "../../../src/trace/chain.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { UserError } from "../../base/user-error.ts";
import { VERDICTS_FILE } from "../../stored/trace-names.ts";

export type Corpus = {
  /** Where the traces come from, for the reader. */
  readonly origin: string;
  readonly texts: readonly string[];
};

const sha256 = (text: string) => hash("sha256", text, "hex");

/**
 * The stored run with most traces, or the one that was named.
 *
 * @throws UserError when the one that was named is no folder.
 */
export function findCorpus(named: string | null): Corpus {
  if (named !== null && !existsSync(named)) throw new UserError(`there is no '${named}'`);
  const folder = named ?? largestRun(join(REPOSITORY, "traces"));
  const texts = folder === null ? [] : tracesIn(folder).map((path) => readFileSync(path, "utf8"));
  if (texts.length > 0)
    return { origin: `${texts.length} traces of ${folder?.replace(`${REPOSITORY}/`, "")}`, texts };
  return {
    origin: "invented traces of src/reconcile/cases (no run is stored)",
    texts: [t01, t02].map((build) => build().toText(sha256)),
  };
}

export function tracesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl") && name !== VERDICTS_FILE)
    .sort()
    .map((name) => join(folder, name));
}

/** Writes `count` traces into a folder and returns how many records and bytes they hold. */
export function writeCopies(
  { texts }: Corpus,
  folder: string,
  count: number,
): { readonly records: number; readonly bytes: number } {
  let [records, bytes] = [0, 0];
  for (let copy = 0; copy < count; copy++) {
    const { trial, text, lines } = renamed(texts[copy % texts.length] ?? "", copy);
    writeFileSync(join(folder, `${trial}.jsonl`), text);
    records += lines;
    bytes += Buffer.byteLength(text);
  }
  return { records, bytes };
}

/** The same trial under another id. Every line that names it changes, so the chain is made anew. */
function renamed(text: string, copy: number): { trial: string; text: string; lines: number } {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const header = JSON.parse(head) as { trial: string };
  const trial = `bench-${String(copy + 1).padStart(6, "0")}`;
  const rename = (line: string) => line.replaceAll(header.trial, trial);
  let prev = GENESIS;
  const chained = lines.map((line) => {
    const linked = rename(line).replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`);
    prev = sha256(linked);
    return linked;
  });
  const first = JSON.stringify({
    ...(JSON.parse(rename(head)) as object),
    records: lines.length,
    head: prev,
  });
  return { trial, text: `${[first, ...chained].join("\n")}\n`, lines: lines.length };
}

function largestRun(traces: string): string | null {
  if (!existsSync(traces)) return null;
  const runs = readdirSync(traces, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(traces, entry.name, "run.json")))
    .map(({ name }) => ({ folder: join(traces, name), count: tracesIn(join(traces, name)).length }))
    .sort((a, b) => b.count - a.count);
  return runs[0]?.folder ?? null;
}
