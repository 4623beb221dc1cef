/** `export <trace|run> [trial] --format chrome|otlp`: trials for a viewer of somebody else's. Writes one file, or to stdout. */
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { writeWhole } from "../base/whole-file.ts";
import { chromeTrace } from "../export/chrome-trace.ts";
import { otlpTrace } from "../export/otlp-trace.ts";
import { timelineOf } from "../export/trial-timeline.ts";
import { findTrace, openNamed } from "../stored/find-trace.ts";
import { judgeParsed } from "../stored/judge-trace.ts";
import { EXIT } from "../stored/outcome.ts";
import { NAMED, tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** Another format is a line here and a file in `scripts/export/`. */
const FORMATS = { chrome: chromeTrace, otlp: otlpTrace } as const;
type ExportOptions = {
  readonly format: keyof typeof FORMATS;
  readonly out?: string;
  readonly traces: string;
};

export function registerExport(program: Command, terminal: Terminal): void {
  program
    .command("export")
    .description("trials for another viewer: Perfetto (chrome), OpenTelemetry (otlp)")
    .argument("<trace|run>", NAMED)
    .argument("[trial]", "which trial of the run: its id, or its number; all where it is left out")
    .addOption(
      new Option("--format <format>", "trace events of Chrome, or OTLP/JSON")
        .choices(Object.keys(FORMATS))
        .makeOptionMandatory(),
    )
    .option("--out <file>", "write it here instead of to the standard output")
    .addOption(tracesOption())
    .action(async (named: string, trial: string | undefined, options: ExportOptions) => {
      const { stdout, stderr, exit } = terminal;
      const { out, format, traces } = options;
      if (out !== undefined && existsSync(out))
        throw new UserError(`'${out}' is there already: it stays as it is; name another file with --out`);
      const stored = await openNamed(named, traces);
      const files = trial === undefined ? stored.traces : [await findTrace(named, trial, traces)];
      let damaged = 0;
      const timelines = files.flatMap(({ path, read }) => {
        const parsed = read();
        if (parsed.problems.length > 0) damaged += 1;
        const timeline = timelineOf(parsed, judgeParsed(path, parsed).verdict);
        return timeline === null ? [] : [timeline];
      });
      if (timelines.length === 0)
        throw new UserError(`'${named}' holds no trace with a record that can be read`);
      const text = `${JSON.stringify(FORMATS[format](timelines))}\n`;
      if (out === undefined) stdout.write(text);
      else {
        await writeWhole(out, text);
        stdout.write(`${timelines.length} of ${files.length} trials: ${shownPath(out)}\n`);
      }
      if (damaged > 0)
        stderr.write(
          `${damaged} of ${files.length} traces are damaged: what could be read of them is exported\n`,
        );
      exit(damaged > 0 ? EXIT.undecided : EXIT.asExpected);
    });
}
