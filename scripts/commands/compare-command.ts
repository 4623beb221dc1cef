/** `compare <runA> <runB>`: what differs between two stored runs, what they ran on first. */
import type { Command } from "commander";
import { Comparison } from "../../src/summarize/comparison.ts";
import { compareRuns, summarize } from "../../src/summarize/index.ts";
import { printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { renderComparison } from "../present/comparison-text.ts";
import { pageFor } from "../present/page.ts";
import { reportOfComparison } from "../present/reporters/report-of-comparison.ts";
import { openNamed } from "../stored/find-trace.ts";
import { type JudgedRun, judgeStored } from "../stored/judge-run.ts";
import { EXIT, type ExitCode, exitCodeOf } from "../stored/outcome.ts";
import { NAMED, tracesOption } from "./options.ts";
import { type AskedReporter, replacesText, reporterOption, writeReports } from "./reporters.ts";
import type { Terminal } from "./terminal.ts";

type CompareOptions = {
  readonly json?: true;
  readonly common?: true;
  readonly reporter?: readonly AskedReporter[];
  readonly traces: string;
};

export function registerCompare(program: Command, terminal: Terminal): void {
  program
    .command("compare")
    .description("hold two stored runs against each other; exit code 1 when they differ")
    .argument("<runA>", `${NAMED}; the baseline`)
    .argument("<runB>", "another")
    .option("--common", "compare the conditions that both runs have, and let the others make no difference")
    .addOption(reporterOption())
    .option("--json", "print one JSON object instead of the tables")
    .addOption(tracesOption())
    .action(async (namedA: string, namedB: string, options: CompareOptions) => {
      const { json, common, reporter = [], traces } = options;
      const replaced = replacesText(reporter, json === true);
      const { stdout, stderr, exit } = terminal;
      const [storedA, storedB] = [await openNamed(namedA, traces), await openNamed(namedB, traces)];
      const [pathA, pathB] = [storedA.path, storedB.path];
      const [a, b] = [judgeStored(storedA), judgeStored(storedB)];
      const comparison = compareRuns(summarize(a), summarize(b), { commonOnly: common === true });
      if (comparison.conditions.length === 0)
        throw new UserError(
          `${shownPath(pathA)} and ${shownPath(pathB)} have no condition in common: there is nothing to compare`,
        );
      const next = `Each by itself: npm run kit -- summary ${shownPath(pathA)} · npm run kit -- summary ${shownPath(pathB)}`;
      const unsound = [a, b].flatMap((run) => unsoundLine(run));
      for (const line of unsound) stderr.write(`${line}\n`);
      const exitCode = codeOf([a, b], comparison.differs);
      if (replaced) stderr.write(`${next}\n`);
      else if (json === true) {
        stdout.write(`${printableJson(Comparison.parse(comparison))}\n`);
        stderr.write(`${next}\n`);
      } else stdout.write(`${renderComparison(comparison, pageFor(stdout))}\n${next}\n`);
      await writeReports(
        reporter,
        [reportOfComparison(comparison, b, { exitCode, problems: unsound })],
        terminal,
      );
      exit(exitCode);
    });
}

/** A run that is not sound decides nothing, whether it differs or not. That one differs as expected is no matter. */
function codeOf(runs: readonly JudgedRun[], differs: boolean): ExitCode {
  const codes = runs.map(exitCodeOf);
  for (const code of [EXIT.kitFailed, EXIT.undecided]) if (codes.includes(code)) return code;
  return differs ? EXIT.differs : EXIT.asExpected;
}

function unsoundLine(run: JudgedRun): string[] {
  const code = exitCodeOf(run);
  if (code !== EXIT.undecided && code !== EXIT.kitFailed) return [];
  return [
    `Run ${run.run} has trials that are invalid, missing or undecided (exit code ${code}): npm run judge -- ${shownPath(run.folder)}`,
  ];
}
