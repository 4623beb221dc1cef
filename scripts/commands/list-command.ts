/** `list`: the declared experiments with their conditions, and the runs that are stored. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Argument, type Command } from "commander";
import { conditionsOf } from "../../experiments/conditions.ts";
import { experimentNames, loadExperiment } from "../../experiments/registry.ts";
import { byCodeUnit } from "../../src/trace/by-code-unit.ts";
import { printable, printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { type Page, pageFor } from "../present/page.ts";
import { wrap } from "../present/wrap.ts";
import { type SelectionOptions, select, selectionOf } from "../run/selection.ts";
import { readStoredRun } from "../stored/stored-run.ts";
import { isTraceName, VERDICTS_FILE } from "../stored/trace-names.ts";
import { selectionOptions, tracesOption } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type StoredSummary = {
  readonly folder: string;
  readonly experiment: string | null;
  readonly planned: number | null;
  readonly traces: number;
  readonly judged: boolean;
};

type ListOptions = SelectionOptions & { readonly traces: string; readonly json?: true };

export function registerList(program: Command, terminal: Terminal): void {
  const command = program
    .command("list")
    .description("show the experiments with their conditions, and the stored runs; or one experiment alone")
    .addArgument(
      new Argument("[experiment]", "this experiment's conditions, and no runs").choices(experimentNames()),
    );
  for (const option of selectionOptions()) command.addOption(option);
  command
    .addOption(tracesOption())
    .option("--json", "print one JSON object")
    .action(async (only: string | undefined, options: ListOptions) => {
      const { traces, json, ...selecting } = options;
      if (only === undefined && Object.keys(selecting).length > 0)
        throw new UserError(
          "--only, --subject and --condition select from one experiment: name it, for example 'list recovery'",
        );
      const experiments = (only === undefined ? experimentNames() : [only]).map((name) => {
        const { title, description, ...matrix } = loadExperiment(name);
        const all = conditionsOf(matrix);
        // A list leaves out nothing by itself: what is installed on demand can be run as well.
        const conditions =
          only === undefined || Object.keys(selecting).length === 0
            ? all
            : select(all, selectionOf(selecting, all));
        return { name, title, description, conditions };
      });
      if (only !== undefined) {
        const page = pageFor(terminal.stdout);
        const text =
          json === true
            ? printableJson({ experiments })
            : experiments
                .flatMap((one) => experimentLines(one, page))
                .join("\n")
                .trimEnd();
        terminal.stdout.write(`${text}\n`);
        return;
      }
      const runs = await storedRuns(traces);
      const page = pageFor(terminal.stdout);
      const text =
        json === true
          ? printableJson({ experiments, runs })
          : [
              ...experiments.flatMap((one) => experimentLines(one, page)),
              ...runLines(runs, traces, page),
            ].join("\n");
      terminal.stdout.write(`${text}\n`);
    });
}

type Listed = {
  name: string;
  title: string;
  description: string;
  conditions: ReturnType<typeof conditionsOf>;
};

function experimentLines({ name, title, description, conditions }: Listed, { paint, width }: Page): string[] {
  const families = [...Map.groupBy(conditions, ({ family }) => family)];
  return [
    `${paint("bold", name)}  ${title}`,
    ...wrap(description, width, "  "),
    ...families.flatMap(([family, own]) => [
      `  ${family} (${own.length})`,
      ...own.map((condition) => `    ${condition.name}`),
    ]),
    `  run it: npm run kit -- run ${name}`,
    "",
  ];
}

function runLines(runs: readonly StoredSummary[], traces: string, { paint }: Page): string[] {
  if (runs.length === 0) return [`No runs are stored in ${shownPath(traces)}.`];
  return [
    paint("bold", `Stored runs in ${shownPath(traces)}`),
    ...runs.map(({ folder, experiment, planned, traces: count, judged }) => {
      const whole =
        planned === null || planned === count ? `${count} traces` : `${count} of ${planned} traces`;
      return `  ${shownPath(folder)}  ${printable(experiment ?? "experiment unknown")}, ${whole}${judged ? "" : ", not judged"}`;
    }),
    "  judge one again: npm run judge -- <folder>",
  ];
}

/** Folders with traces, up to two levels down: samples and golden traces have folders of their own. */
async function storedRuns(folder: string, depth = 2): Promise<StoredSummary[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).sort((a, b) => byCodeUnit(a.name, b.name));
  const found: StoredSummary[] = [];
  for (const { name } of below) {
    const path = join(folder, name);
    const names = (await readdir(path)).filter((file) => file.endsWith(".jsonl"));
    const stored = await readStoredRun(path);
    if (names.length > 0 || stored !== null) {
      const known = stored !== null && typeof stored !== "string" ? stored : null;
      found.push({
        folder: path,
        experiment: known?.experiment ?? null,
        planned: known?.specs.length ?? null,
        traces: names.filter(isTraceName).length,
        judged: names.includes(VERDICTS_FILE),
      });
    } else if (depth > 1) found.push(...(await storedRuns(path, depth - 1)));
  }
  return found;
}
