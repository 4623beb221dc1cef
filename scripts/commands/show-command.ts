/** `show <trace | run> [trial]`: one trial as a timeline, and the verdict with the records that decide it. Writes nothing. */
import { type Command, InvalidArgumentError } from "commander";
import { tellTrial } from "../../src/story/story.ts";
import { printableData, printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { pageFor } from "../present/page.ts";
import { type Range, renderStory } from "../present/story-text.ts";
import { findTrace } from "../stored/find-trace.ts";
import { judgePath } from "../stored/judge-run.ts";
import { exitCodeOf } from "../stored/outcome.ts";
import { readTrace } from "../stored/read-trace.ts";
import { tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type ShowOptions = { readonly json?: true; readonly records?: Range; readonly traces: string };

export function registerShow(program: Command, terminal: Terminal): void {
  program
    .command("show")
    .description("show one trial: what happened, record by record, and which records decide its verdict")
    .argument("<trace|run>", "a .jsonl trace, or a run by its folder or id")
    .argument("[trial]", "which trial of the run: its id, or its number")
    .option("--records <from-to>", "show these records, the unimportant ones too", range)
    .option("--json", "print one JSON object instead of the text")
    .addOption(tracesOption())
    .action(async (named: string, trial: string | undefined, options: ShowOptions) => {
      const { stdout, stderr, exit } = terminal;
      const path = await findTrace(named, trial, options.traces);
      const judged = await judgePath(path);
      const [one] = judged.trials;
      if (one === undefined) throw new Error(`${path} was judged to no trial`);
      const story = tellTrial(readTrace(path), one.verdict);
      const next = `Trace: ${shownPath(path)} · its verdict alone: npm run judge -- ${shownPath(path)}`;
      if (options.json === true) {
        const entries = story.entries.filter(({ seq }) => isIn(options.records, seq));
        stdout.write(`${printableJson({ ...story, entries })}\n`);
        stderr.write(`${next}\n`);
      } else {
        const page = pageFor(stdout);
        stdout.write(
          `${renderStory(printableData(story), { page, records: options.records ?? null })}\n\n${next}\n`,
        );
      }
      exit(exitCodeOf(judged));
    });
}

function isIn(records: Range | undefined, seq: number): boolean {
  return records === undefined || (seq >= records.from && seq <= records.to);
}

/** `14-38`, or `14` for one. */
function range(text: string): Range {
  const parts = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  const [from, to] = [Number(parts?.[1]), Number(parts?.[2] ?? parts?.[1])];
  if (parts === null || from < 1 || to < from)
    throw new InvalidArgumentError("Give the first and the last record, for example 14-38.");
  return { from, to };
}
