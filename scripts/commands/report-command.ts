/** `report <run> [<run>]`: a stored run, or two that are compared, as one HTML file. Writes that file and nothing else. */
import { closeSync, existsSync, readSync } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { knownFindings } from "../../experiments/known-findings.ts";
import { declaredConditions } from "../../experiments/registry.ts";
import type { ParsedTrace } from "../../src/trace/file.ts";
import { printable } from "../base/printable.ts";
import { openRegular } from "../base/regular-file.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { writeWhole } from "../base/whole-file.ts";
import { htmlOf, MARK, MARK_WITHIN } from "../report/html-file.ts";
import { type Indexed, indexPage } from "../report/index-page.ts";
import { makeReport } from "../report/make-report.ts";
import { openNamed } from "../stored/find-trace.ts";
import { judgeStored } from "../stored/judge-run.ts";
import { EXIT, type ExitCode, exitCodeOf, worstOf } from "../stored/outcome.ts";
import { readTrace } from "../stored/read-trace.ts";
import { RUN_FILE } from "../stored/stored-run.ts";
import { NAMED, tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type ReportOptions = { readonly out?: string; readonly index?: string; readonly traces: string };

export function registerReport(program: Command, terminal: Terminal): void {
  program
    .command("report")
    .description("write a run, or two compared, as one HTML file that opens from the disk and loads nothing")
    .argument("[run]", NAMED)
    .argument("[other]", "another, to be compared with the first")
    .option("--out <file>", "write it here; otherwise <run>.html in the current folder")
    .addOption(
      new Option(
        "--index <folder>",
        "instead: a report of each run under --traces into this folder, with an index of them",
      ).conflicts("out"),
    )
    .addOption(tracesOption())
    .action(async (named: string | undefined, other: string | undefined, options: ReportOptions) => {
      const { stdout, exit } = terminal;
      if (options.index !== undefined) {
        if (named !== undefined)
          throw new UserError("--index takes every run under --traces: name no run beside it");
        return writeIndex(options.index, options.traces, terminal);
      }
      if (named === undefined) throw new UserError("name a run, or ask for --index <folder>");
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
        knownOf: knownFindings,
        traceAt: (path) => (read.get(path) ?? (() => readTrace(path)))(),
      });
      await writeWhole(out, await htmlOf(model));
      for (const { run, found, upgrade } of model.runs) {
        stdout.write(`${run}: ${found.join(" ")}\n`);
        if (upgrade !== null) stdout.write(`${upgrade.advice}\n`);
      }
      if (model.comparison !== null) stdout.write(`${model.comparison.sentences[0] ?? ""}\n`);
      stdout.write(`Report: ${shownPath(out)} · open it in a browser; it needs no network\n`);
      exit(worstOf(runs.map(exitCodeOf)));
    });
}

/** A page for each run in the folder of runs, and one that leads to them. Links are relative, so the folder can be moved. */
async function writeIndex(out: string, traces: string, { stdout, exit }: Terminal): Promise<void> {
  const names = existsSync(traces) ? (await readdir(traces)).toSorted() : [];
  const folders = names.filter((name) => existsSync(join(traces, name, RUN_FILE)));
  if (folders.length === 0)
    throw new UserError(`there are no runs in '${shownPath(traces)}'; name another folder with --traces`);
  const index = join(out, "index.html");
  const pages = folders.map((name) => ({ name, file: `${fileName(name)}.html` }));
  for (const path of [index, ...pages.map(({ file }) => join(out, file))]) await verifyMayWrite(path);
  await mkdir(out, { recursive: true });
  const indexed: Indexed[] = [];
  const codes: ExitCode[] = [];
  for (const { name, file } of pages) {
    const stored = await openNamed(join(traces, name), traces);
    const read = new Map(stored.traces.map((trace) => [trace.path, trace.read]));
    const run = judgeStored(stored);
    const model = makeReport([run], {
      declaredOf: declaredConditions,
      knownOf: knownFindings,
      traceAt: (path) => (read.get(path) ?? (() => readTrace(path)))(),
    });
    await writeWhole(join(out, file), await htmlOf(model));
    const [part] = model.runs;
    if (part === undefined) throw new Error(`the report of ${run.run} holds no run`);
    const { experiment, found, host, caveat } = part;
    const code = exitCodeOf(run);
    indexed.push({ run: run.run, file, experiment, found, host, caveat, tone: toneOf(code) });
    codes.push(code);
  }
  await writeWhole(index, indexPage(indexed));
  for (const { run, found } of indexed) stdout.write(`${printable(run)}: ${found[0] ?? ""}\n`);
  stdout.write(`Index: ${shownPath(index)} · open it in a browser; it needs no network\n`);
  exit(worstOf(codes));
}

function toneOf(code: ExitCode): Indexed["tone"] {
  if (code === EXIT.asExpected) return "good";
  return code === EXIT.differs ? "bad" : "open";
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
