/** `run [experiment]`: takes the arguments and has a new run, or the rest of an interrupted one, carried out. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_EXPERIMENT, experimentNames } from "../../experiments/registry.ts";
import { RunId } from "../../src/trace/ids.ts";
import { letYoungGenerationGrow } from "../base/young-generation.ts";
import { chooseStorage, StorageOption } from "../local/storage-choice.ts";
import { HostOption } from "../local/workerd/host-choice.ts";
import { renderDryRun } from "../present/dry-run.ts";
import { pageFor } from "../present/page.ts";
import { lastFailed } from "../run/last-failed.ts";
import { findRun } from "../run/resume.ts";
import { carryOut } from "./carry-out.ts";
import { claimNewRun, claimRest } from "./claim-run.ts";
import { parsedBy, requireOption, selectionOptions, tracesOption, wholeNumber } from "./options.ts";
import { type AskedReporter, replacesText, reporterOption } from "./reporters.ts";
import { isPath, newRun, type RunOptions, restOfRun } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

/** A day: longer is a typing mistake. */
const MS_MAX = 86_400_000;

/** What the plan of an interrupted run has settled already. */
const SETTLED = [
  "host",
  "repeats",
  "quietMs",
  "allowShortQuiet",
  "settleMs",
  "seed",
  "set",
  "load",
  "storage",
  "runId",
  "only",
  "subject",
  "condition",
  "quick",
  "lastFailed",
];

type Further = {
  readonly reporter?: readonly AskedReporter[];
  /** True for the newest run. */
  readonly lastFailed?: string | true;
};

export function registerRun(program: Command, terminal: Terminal): void {
  const command = program
    .command("run")
    .description("carry out an experiment, store its traces and judge them")
    .addArgument(
      new Argument(
        "[experiment]",
        `which experiment, or the path of a file: an experiment, or defineTrial of a Worker of your own (default: "${DEFAULT_EXPERIMENT}")`,
      )
        .choices(experimentNames())
        .argParser((name) => {
          if (isPath(name) || experimentNames().includes(name)) return name;
          throw new InvalidArgumentError(
            `Allowed choices are ${experimentNames().join(", ")}. A file goes by its path, such as ./recovery.config.ts.`,
          );
        }),
    )
    .addOption(
      new Option("--host <host>", "OpenCode host; auto takes the SDK when it is installed")
        .choices(HostOption.options)
        .default("auto"),
    )
    .option(
      "--repeats <n>",
      "trials of each condition, in randomised blocks; canaries once",
      wholeNumber(1, 1_000),
      1,
    )
    .option(
      "--quiet-ms <ms>",
      "how long nothing touches the object after a reset; no shorter than the subject's heartbeat",
      wholeNumber(0, MS_MAX),
    )
    .option("--allow-short-quiet", "take a shorter one, which cannot show whether the object wakes by itself")
    .option(
      "--settle-ms <ms>",
      "how long effects are counted after everything settled",
      wholeNumber(0, MS_MAX),
    )
    .option(
      "--seed <n>",
      "repeats the order and the delays of an earlier run, not what the platform does",
      wholeNumber(0, 2 ** 31 - 1),
    )
    .option("--concurrency <n>", "most trials at once in one subject process", wholeNumber(1, 1_000), 1_000)
    .option(
      "--load <n>",
      "requests per second to other objects of the subjects' processes",
      wholeNumber(0, 1_000),
      0,
    )
    .addOption(
      new Option(
        "--storage <place>",
        "where the processes keep theirs; auto takes memory where there is room",
      )
        .choices(StorageOption.options)
        .default("auto"),
    )
    .option("--set <set>", "under this SDK set alone (the sets: npm run upgrade -- --list)")
    .option("--port <n>", "first local port, instead of free ones", wholeNumber(1_024, 65_000))
    .option("--run-id <id>", "name of the run and of its folder", parsedBy(RunId));
  for (const option of selectionOptions()) command.addOption(option);
  command
    .option(
      "--quick",
      "a smoke run: of each block its first condition and those that are the first with some level, and the canaries",
    )
    .addOption(
      new Option(
        "--last-failed [run]",
        "the conditions of a run that were not as expected, invalid, undecided or missing, anew; of the newest run if none is named",
      ).conflicts(["only", "subject", "condition", "quick"]),
    )
    .addOption(
      new Option(
        "--resume <run>",
        "finish an interrupted run, given by its id or folder: what ended by itself stays, the rest is run",
      ).conflicts(SETTLED),
    )
    .addOption(requireOption())
    .addOption(reporterOption())
    .addOption(tracesOption())
    .addOption(
      new Option("--model <id>", "refused: real models answer deployed trials only")
        .hideHelp()
        .argParser((): never => {
          throw new InvalidArgumentError(
            "Real models answer deployed trials only: npm run deploy -- up --ai-binding.",
          );
        }),
    )
    .option("--dry-run", "print what would be done and start nothing")
    .option("--json", "print one JSON object instead of the table")
    .action((name: string | undefined, options: RunOptions & Further) => run(name, options, terminal));
}

async function run(
  name: string | undefined,
  options: RunOptions & Further,
  terminal: Terminal,
): Promise<void> {
  // Before the run: what cannot be written is not found out after it.
  replacesText(options.reporter ?? [], options.json === true);
  const { lastFailed: earlier, ...others } = options;
  if (earlier !== undefined) {
    const { experiment, conditions } = await lastFailed(
      earlier === true ? null : earlier,
      name,
      options.traces,
    );
    return run(experiment, { ...others, condition: conditions }, terminal);
  }
  if (options.dryRun === true) return showPlan(name, options, terminal);
  const { concurrency, json = false, port = null, require = [], resume } = options;
  const { request, release } =
    resume === undefined
      ? await claimNewRun(name ?? DEFAULT_EXPERIMENT, options, terminal)
      : await claimRest(resume, name, options, terminal);
  try {
    const { storage } = request;
    await carryOut(
      request,
      { concurrency, json, port, storage, require, reporters: options.reporter ?? [] },
      terminal,
    );
  } finally {
    release();
  }
}

async function showPlan(name: string | undefined, options: RunOptions, terminal: Terminal): Promise<void> {
  // It waits for nothing, and a plan may have tens of thousands of trials.
  letYoungGenerationGrow();
  const { concurrency, json = false, resume, traces } = options;
  const request =
    resume === undefined
      ? await newRun(name ?? DEFAULT_EXPERIMENT, options, terminal)
      : await restOfRun(findRun(resume, traces), name, terminal);
  const { plan, left, declared } = request;
  const host = request.own === null && request.commands === null ? request.host : null;
  const page = pageFor(terminal.stdout);
  const { storage } = chooseStorage(request.storage, left.length);
  const text = renderDryRun({ ...plan, specs: left }, { host, declared, concurrency, storage, json, page });
  terminal.stdout.write(`${text}\n`);
}
