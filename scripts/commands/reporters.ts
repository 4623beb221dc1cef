/** `--reporter` of the commands that judge: what was asked for, and writing it. */
import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { dirname } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { machineErrorOf } from "../base/machine-error.ts";
import { UserError } from "../base/user-error.ts";
import { writeWhole } from "../base/whole-file.ts";
import { REPORTERS, type Reporter, type ReporterName } from "../present/reporters/index.ts";
import { markdownReport } from "../present/reporters/markdown-reporter.ts";
import type { Report } from "../present/reporters/report.ts";
import type { Terminal } from "./terminal.ts";

export type AskedReporter = { readonly name: ReporterName; readonly path: string | null };

const NAMES = Object.keys(REPORTERS);

export function reporterOption(): Option {
  return new Option(
    "--reporter <names>",
    `reports for programs, by commas: ${NAMES.join(", ")}; name=file writes there, else it stands in place of the text (github: beside it)`,
  ).argParser(askedReporters);
}

/** A mistake is said before anything runs, not after a run of minutes. */
export function askedReporters(text: string): AskedReporter[] {
  const asked = text.split(",").map((part): AskedReporter => {
    const [name = "", ...rest] = part.split("=");
    const path = rest.length === 0 ? null : rest.join("=");
    if (!isReporter(name))
      throw new InvalidArgumentError(`There is no reporter '${name}'. There are: ${NAMES.join(", ")}.`);
    if (path === "") throw new InvalidArgumentError(`'${part}' names no file; give ${name}=<file>.`);
    if (path !== null && !existsSync(dirname(path)))
      throw new InvalidArgumentError(`There is no folder '${dirname(path)}' for '${part}'; make it first.`);
    return { name, path };
  });
  const onStdout = asked.filter(takesStdout).map(({ name }) => name);
  if (onStdout.length > 1)
    throw new InvalidArgumentError(
      `${onStdout.join(" and ")} cannot both go to standard output; give one a file, as ${onStdout[0]}=<file>.`,
    );
  return asked;
}

/** Whether one of them stands in place of the text. */
export function replacesText(asked: readonly AskedReporter[], json: boolean): boolean {
  const taking = asked.find(takesStdout);
  if (taking !== undefined && json)
    throw new UserError(
      `--json and --reporter ${taking.name} cannot both go to standard output; give ${taking.name}=<file>`,
    );
  return taking !== undefined;
}

export async function writeReports(
  asked: readonly AskedReporter[],
  reports: readonly Report[],
  { stdout, stderr }: Terminal,
  stepSummary = process.env.GITHUB_STEP_SUMMARY,
): Promise<void> {
  for (const { name, path } of asked) {
    const reporter: Reporter = REPORTERS[name];
    const text = reporter.render(reports);
    if (path !== null) await writeWhole(path, text);
    else (reporter.stream === "stdout" ? stdout : stderr).write(text);
    if (reporter.stepSummary && stepSummary !== undefined && stepSummary !== "")
      await appendFile(stepSummary, markdownReport(reports)).catch((error: unknown) => {
        throw machineErrorOf(error, { operation: "write", path: stepSummary }) ?? error;
      });
  }
}

function takesStdout({ name, path }: AskedReporter): boolean {
  return path === null && REPORTERS[name].stream === "stdout";
}

function isReporter(name: string): name is ReporterName {
  return Object.hasOwn(REPORTERS, name);
}
