/** `inspect schema|log|jobs <source> [other]`: an object's storage as it lies there; two readings compared. Writes nothing. */
import { type Command, InvalidArgumentError } from "commander";
import { UserError } from "../base/user-error.ts";
import type { InspectKind } from "../inspect/inspect-kind.ts";
import { type Asked, type Inspection, inspectSource } from "../inspect/inspect-source.ts";
import { inspectedJson } from "../inspect/inspected.ts";
import { renderChanges, renderInspection } from "../inspect/inspection-text.ts";
import { forEachKind } from "../inspect/kinds/index.ts";
import { pageFor } from "../present/page.ts";
import { EXIT, type ExitCode } from "../stored/outcome.ts";
import { tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type InspectOptions = {
  readonly json?: true;
  readonly at?: readonly number[];
  readonly session?: string;
  readonly trial?: string;
  readonly traces: string;
};

const SOURCE =
  "a database file, a trace or the id of a trial, or http(s)://<subject Worker>/subjects/<subject>/trials/<trial>, which wakes the object and takes the secret in KIT_SECRET";

export function registerInspect(program: Command, terminal: Terminal): void {
  const inspect = program
    .command("inspect")
    .description("read an object's storage from its file, a trace or the live object; compare two readings");
  forEachKind((kind) => {
    const command = inspect
      .command(kind.name)
      .description(`show ${kind.description}; of two sources, what differs`)
      .argument("<source>", SOURCE)
      .argument("[other]", "another source, to be compared with the first")
      .option("--at <seq[,seq]>", "which reading of a trace, by its record; two are compared", moments)
      .option("--trial <trial>", "which trial, where the source is a run: its id or its number");
    if (kind.ofSession) command.option("--session <id>", "which session, where there are several");
    command
      .option("--json", "print one JSON object instead of the tables")
      .addOption(tracesOption())
      .addHelpText(
        "after",
        "\nExit codes: 0 read, and no doubt about it · 1 two readings differ · 2 nothing to be read · 3 read with doubts.",
      )
      .action((source: string, other: string | undefined, options: InspectOptions) =>
        inspectAll(kind, [source, other], options, terminal),
      );
  });
}

async function inspectAll<R>(
  kind: InspectKind<R>,
  [source, other]: readonly [string, string | undefined],
  options: InspectOptions,
  { stdout, exit }: Terminal,
): Promise<void> {
  const [first, second] = options.at ?? [];
  const asked = (named: string, at: number | undefined): Asked => ({
    ...{ named, at, trial: options.trial, session: options.session, traces: options.traces },
    secret: process.env.KIT_SECRET,
  });
  if (other !== undefined && first !== undefined && second === undefined)
    throw new UserError("--at: give two records for two sources, for example --at 14,33");
  const a = await inspectSource(kind, asked(source, first));
  const b =
    other === undefined && second === undefined
      ? null
      : await inspectSource(kind, asked(other ?? source, second));
  const changes = b === null ? null : kind.changes(a.reading, b.reading);
  const page = pageFor(stdout);
  if (options.json === true) {
    stdout.write(`${inspectedJson(kind, [a, ...(b === null ? [] : [b])], changes)}\n`);
  } else if (b === null || changes === null) stdout.write(`${renderInspection(kind, a, page)}\n`);
  else stdout.write(`${renderChanges(kind, [a, b], changes, page)}\n`);
  exit(codeOf([a, ...(b === null ? [] : [b])], changes));
}

/** A doubt comes first: what was not read whole may differ or not. */
function codeOf<R>(readings: readonly Inspection<R>[], changes: readonly unknown[] | null): ExitCode {
  if (readings.some(({ findings }) => findings.some(({ weight }) => weight === "doubt")))
    return EXIT.undecided;
  return changes !== null && changes.length > 0 ? EXIT.differs : EXIT.asExpected;
}

/** `14`, or `14,33` for two. */
function moments(text: string): readonly number[] {
  const seqs = text.split(",").map((one) => (/^\d{1,9}$/.test(one) ? Number(one) : 0));
  if (seqs.length > 2 || seqs.some((seq) => seq < 1))
    throw new InvalidArgumentError("Give one record, or two by a comma, for example 14,33.");
  return seqs;
}
