/** `report <run> [<run>]`: a stored run, or two that are compared, as one HTML file. Writes that file and nothing else. */
import { closeSync, existsSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { declaredConditions } from "../../experiments/registry.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { openRegular } from "../base/regular-file.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { writeWhole } from "../base/whole-file.ts";
import { htmlOf, MARK, MARK_WITHIN } from "../report/html-file.ts";
import { makeReport } from "../report/make-report.ts";
import { openNamed } from "../stored/find-trace.ts";
import { judgeStored } from "../stored/judge-run.ts";
import { exitCodeOf, worstOf } from "../stored/outcome.ts";
import { readTrace } from "../stored/read-trace.ts";
import { NAMED, tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type ReportOptions = { readonly out?: string; readonly traces: string };

export function registerReport(program: Command, terminal: Terminal): void {
  program
    .command("report")
    .description("write a run, or two compared, as one HTML file that opens from the disk and loads nothing")
    .argument("<run>", NAMED)
    .argument("[other]", "another, to be compared with the first")
    .option("--out <file>", "write it here; otherwise <run>.html in the current folder")
    .addOption(tracesOption())
    .action(async (named: string, other: string | undefined, options: ReportOptions) => {
      const { stdout, exit } = terminal;
      const runs = [];
      const read = new Map<string, () => ParsedTrace>();
      for (const one of [named, ...(other === undefined ? [] : [other])]) {
        const stored = await openNamed(one, options.traces);
        for (const trace of stored.traces) read.set(trace.path, trace.read);
        runs.push(judgeStored(stored));
      }
      const out = options.out ?? `${runs.map(({ run }) => fileName(run)).join("-and-")}.html`;
      await verifyMayWrite(out);
      const model = makeReport(runs, {
        declaredOf: declaredConditions,
        traceAt: (path) => (read.get(path) ?? (() => readTrace(path)))(),
      });
      await writeWhole(out, await htmlOf(model));
      for (const { run, found } of model.runs) stdout.write(`${run}: ${found.join(" ")}\n`);
      if (model.comparison !== null) stdout.write(`${model.comparison.sentences[0] ?? ""}\n`);
      stdout.write(`Report: ${shownPath(out)} · open it in a browser; it needs no network\n`);
      exit(worstOf(runs.map(exitCodeOf)));
    });
}

/** The name of a run as one that a file may have. */
function fileName(run: string): string {
  return run.replaceAll(/[^\w.~-]+/g, "-").replace(/^\.+/, "") || "report";
}

/** @throws UserError when there is something else than a report. */
async function verifyMayWrite(out: string): Promise<void> {
  if (!existsSync(out)) return;
  if ((await stat(out)).isDirectory())
    throw new UserError(`'${out}' is a folder: name a file in it with --out`);
  const { file } = openRegular(out);
  try {
    const begin = Buffer.alloc(MARK_WITHIN);
    const bytes = readSync(file, begin, 0, MARK_WITHIN, 0);
    if (bytes === 0 || begin.subarray(0, bytes).includes(MARK)) return;
  } finally {
    closeSync(file);
  }
  throw new UserError(`'${out}' is there and is no report: it stays as it is; name another file with --out`);
}
