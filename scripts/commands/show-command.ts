/** `show <trace | run> [trial]`: one trial as a timeline, and the verdict with the records that decide it. Writes nothing. */
import { dirname } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { declaredConditions } from "../../experiments/registry.ts";
import { tellTrial } from "../../src/story/story.ts";
import { printableData, printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { type Documented, documentedLines, documentedRows } from "../present/documented.ts";
import { pageFor } from "../present/page.ts";
import { type Range, renderStory } from "../present/story-text.ts";
import { findTrace } from "../stored/find-trace.ts";
import { judgedAlone } from "../stored/judge-run.ts";
import { type JudgedTrial, judgeParsed } from "../stored/judge-trace.ts";
import { exitCodeOf } from "../stored/outcome.ts";
import { NAMED, tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type ShowOptions = { readonly json?: true; readonly records?: Range; readonly traces: string };

export function registerShow(program: Command, terminal: Terminal): void {
  program
    .command("show")
    .description("show one trial: what happened, record by record, and which records decide its verdict")
    .argument("<trace|run>", NAMED)
    .argument("[trial]", "which trial of the run: its id, or its number")
    .option("--records <from-to>", "show these records, the unimportant ones too", range)
    .option("--json", "print one JSON object instead of the text")
    .addOption(tracesOption())
    .action(async (named: string, trial: string | undefined, options: ShowOptions) => {
      const { stdout, stderr, exit } = terminal;
      const { path, read } = await findTrace(named, trial, options.traces);
      const parsed = read();
      const one = judgeParsed(path, parsed);
      const story = tellTrial(parsed, one.verdict);
      const documented = promisesOf(one);
      const next = `Trace: ${shownPath(path)} · its verdict alone: npm run judge -- ${shownPath(path)}`;
      if (options.json === true) {
        const entries = story.entries.filter(({ seq }) => isIn(options.records, seq));
        stdout.write(`${printableJson({ ...story, documented, entries })}\n`);
        stderr.write(`${next}\n`);
      } else {
        const page = pageFor(stdout);
        stdout.write(
          `${[renderStory(printableData(story), { page, records: options.records ?? null }), "", ...documentedLines(printableData(documented), page), next].join("\n")}\n`,
        );
      }
      exit(exitCodeOf(judgedAlone(one, dirname(path))));
    });
}

/** The promises that the trial's condition puts to the test. */
function promisesOf(one: JudgedTrial): Documented[] {
  const declared = declaredConditions(one.spec?.experiment ?? null);
  const claims: readonly string[] = declared.find(({ name }) => name === one.spec?.condition)?.claims ?? [];
  return documentedRows({ trials: [one] }, declared).filter(({ claim }) => claims.includes(claim));
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
