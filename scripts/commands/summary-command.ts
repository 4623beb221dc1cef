/** `summary <run>`: what a stored run comes to, condition by condition. Recomputed from its traces alone. */
import type { Command } from "commander";
import { summarize } from "../../src/summarize/index.ts";
import { Summary } from "../../src/summarize/summary.ts";
import { printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { pageFor } from "../present/page.ts";
import { renderSummary } from "../present/summary-text.ts";
import { openNamed } from "../stored/find-trace.ts";
import { judgeStored } from "../stored/judge-run.ts";
import { exitCodeOf } from "../stored/outcome.ts";
import { NAMED, tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

export function registerSummary(program: Command, terminal: Terminal): void {
  program
    .command("summary")
    .description("count a stored run by condition, with intervals, bounds and times")
    .argument("<run>", NAMED)
    .option("--json", "print one JSON object instead of the tables")
    .addOption(tracesOption())
    .action(async (named: string, { json, traces }: { json?: true; traces: string }) => {
      const { stdout, stderr, exit } = terminal;
      const stored = await openNamed(named, traces);
      const { path } = stored;
      const run = judgeStored(stored);
      const summary = summarize(run);
      const next = `Traces: ${shownPath(path)} · trial by trial: npm run judge -- ${shownPath(path)}`;
      if (json === true) {
        stdout.write(`${printableJson(Summary.parse(summary))}\n`);
        stderr.write(`${next}\n`);
      } else stdout.write(`${renderSummary(summary, pageFor(stdout))}\n${next}\n`);
      exit(exitCodeOf(run));
    });
}
