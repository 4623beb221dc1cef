/** The verdicts of the golden traces, as examples for the pages. */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Verdict } from "../../../src/reconcile/verdict.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { EXPECTED_FILE } from "../../stored/trace-names.ts";
import { goldenSets } from "../golden/golden-set.ts";

export type GoldenVerdict = {
  /** Path of the trace from the root; of a spoilt copy, that of the trace it is made of. */
  readonly trace: string;
  /** How the copy is spoilt; null for the trace itself. */
  readonly spoiltBy: string | null;
  readonly verdict: Verdict;
};

export class GoldenVerdicts {
  /** Traces themselves before spoilt copies. */
  readonly all: readonly GoldenVerdict[];

  private constructor(all: readonly GoldenVerdict[]) {
    this.all = all;
  }

  static read(): GoldenVerdicts {
    const all = goldenSets().flatMap((set) =>
      readFileSync(join(set, EXPECTED_FILE), "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => goldenVerdict(relative(REPOSITORY, set), line)),
    );
    return new GoldenVerdicts([
      ...all.filter(({ spoiltBy }) => spoiltBy === null),
      ...all.filter(({ spoiltBy }) => spoiltBy !== null),
    ]);
  }

  /** @throws Error when no golden set has the trace. */
  of(trace: string): Verdict {
    const found = this.all.find((one) => one.trace === trace && one.spoiltBy === null);
    if (found === undefined) throw new Error(`no golden set has ${trace}`);
    return found.verdict;
  }

  /** The first whose verdict is like that. */
  first(isLike: (verdict: Verdict) => boolean): GoldenVerdict | null {
    return this.all.find(({ verdict }) => isLike(verdict)) ?? null;
  }
}

function goldenVerdict(set: string, line: string): GoldenVerdict {
  // The golden test holds these lines against the judge's own.
  const { trace: name, verdict } = JSON.parse(line) as { trace: string; verdict: Verdict };
  const [, copied, way] = /^damaged\/(.*)~([^~]+)\.jsonl$/.exec(name) ?? [];
  return copied === undefined || way === undefined
    ? { trace: `${set}/${name}`, spoiltBy: null, verdict }
    : { trace: `${set}/taken/${copied}.jsonl`, spoiltBy: way, verdict };
}
