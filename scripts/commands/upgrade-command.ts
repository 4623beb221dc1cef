/** `upgrade --from A --to B`: the conditions of an experiment under two SDK sets, in flight from the one to the other, and back. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Command, Option } from "commander";
import { knownFindings } from "../../experiments/known-findings.ts";
import { DEFAULT_EXPERIMENT, declaredConditions, experimentNames } from "../../experiments/registry.ts";
import { SdkSet, SetPackage, sdkSets } from "../../experiments/sdk-sets.ts";
import { KnownSubject, SUBJECTS, subjectTraits } from "../../src/harnesses/index.ts";
import { compareUpgrade } from "../../src/summarize/compare-upgrade.ts";
import { UpgradeComparison } from "../../src/summarize/upgrade-comparison.ts";
import type { Point } from "../../src/trace/levels.ts";
import type { TrialSpec } from "../../src/trace/spec.ts";
import { printable, printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { isInstalled } from "../local/ready-set.ts";
import { StorageOption } from "../local/storage-choice.ts";
import { HostOption } from "../local/workerd/host-choice.ts";
import { isPath } from "../local/workerd/load-set.ts";
import { renderDryRun } from "../present/dry-run.ts";
import { howMany } from "../present/numbers.ts";
import { type Page, pageFor } from "../present/page.ts";
import { reportOfRun } from "../present/reporters/report-of-run.ts";
import { renderUpgradeDryRun } from "../present/upgrade-dry-run.ts";
import { staleFindings, upgradePart } from "../present/upgrade-part.ts";
import { renderUpgrade } from "../present/upgrade-text.ts";
import { wrap } from "../present/wrap.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { isInFlight, upgradePlan } from "../run/upgrade-plan.ts";
import { openNamed } from "../stored/find-trace.ts";
import { type JudgedRun, judgeStored } from "../stored/judge-run.ts";
import { EXIT, type ExitCode, exitCodeOf, outcomeOf } from "../stored/outcome.ts";
import { readTrace } from "../stored/read-trace.ts";
import { readStoredPlan } from "../stored/stored-run.ts";
import { openStored, type StoredTraces } from "../stored/stored-traces.ts";
import { upgradeRunOf } from "../stored/stored-upgrade.ts";
import { executeShown } from "./carry-out.ts";
import { claimNewRun } from "./claim-run.ts";
import { tracesOption, wholeNumber } from "./options.ts";
import { type AskedReporter, replacesText, reporterOption, writeReports } from "./reporters.ts";
import { defaultRunId, newRun, type RunOptions, type RunRequest } from "./run-request.ts";
import { setCalled } from "./sets.ts";
import type { Terminal } from "./terminal.ts";

/** More than a plan has: all trials at once. */
const CONCURRENCY = 1_000;

/** Whose conditions have an OpenCode server. */
const SERVER_EXPERIMENT = "harnesses";

type UpgradeOptions = Omit<RunOptions, "concurrency" | "load"> & {
  readonly from?: string;
  readonly to?: string;
  readonly experiment?: string;
  readonly all?: true;
  readonly list?: true;
  readonly stored?: string;
  readonly reporter?: readonly AskedReporter[];
};

export function registerUpgrade(program: Command, terminal: Terminal): void {
  program
    .command("upgrade")
    .description(
      "run conditions under two SDK sets, in flight from the one to the other, and back; exit code 1 when they differ",
    )
    .option("--from <set>", "the set that is left")
    .option(
      "--to <set>",
      "the set that is gone to, or package=version, package=tarball, package=folder over --from; with commas",
    )
    .addOption(
      new Option(
        "--experiment <name>",
        `whose conditions (default: ${DEFAULT_EXPERIMENT}, and ${SERVER_EXPERIMENT} for sets that name an OpenCode server)`,
      ).choices(experimentNames()),
    )
    .option("--condition <name>", "this condition alone; may be given several times", several)
    .option("--only <factor=level,…>", "the conditions that have these levels")
    .option("--all", "every condition of the experiment, those that cannot be in flight under each set alone")
    .option("--repeats <n>", "trials of each condition and way", wholeNumber(1, 1_000), 1)
    .option(
      "--quiet-ms <ms>",
      "how long nothing touches the object after a reset",
      wholeNumber(0, 86_400_000),
    )
    .option("--settle-ms <ms>", "how long effects are counted at the end", wholeNumber(0, 86_400_000))
    .option("--allow-short-quiet", "take a shorter one, which cannot show whether the object wakes by itself")
    .option("--seed <n>", "repeats the order and the delays of an earlier run", wholeNumber(0, 2 ** 31 - 1))
    .addOption(
      new Option("--host <host>", "OpenCode host, for sets that name none")
        .choices(HostOption.options)
        .default("auto"),
    )
    .addOption(
      new Option("--storage <place>", "where the processes keep theirs")
        .choices(StorageOption.options)
        .default("auto"),
    )
    .option("--run-id <id>", "name of the run and of its folder")
    .addOption(reporterOption())
    .addOption(tracesOption())
    .option("--list", "show the sets, whether they are installed, and what was measured with them")
    .option("--stored <run>", "compare the traces of an earlier upgrade again, and run nothing")
    .option("--dry-run", "print what would be done and start nothing")
    .option("--json", "print one JSON object instead of the text")
    .action((options: UpgradeOptions) => upgrade(options, terminal));
}

async function upgrade(options: UpgradeOptions, terminal: Terminal): Promise<void> {
  const page = pageFor(terminal.stdout);
  if (options.list === true) {
    terminal.stdout.write(`${(await listLines(options.traces, page)).join("\n")}\n`);
    return;
  }
  if (options.stored !== undefined) {
    terminal.exit(await showResult(await openNamed(options.stored, options.traces), options, terminal));
    return;
  }
  const [from, to] = setsOf(options);
  const sets = { from, to };
  const asked = {
    ...options,
    ...askedConditions(options, sets),
    concurrency: CONCURRENCY,
    load: 0,
  };
  const experiment = options.experiment ?? (namesServer(sets) ? SERVER_EXPERIMENT : DEFAULT_EXPERIMENT);
  if (namesServer(sets) && !declaredConditions(experiment).some(isOfServer)) throw noConditionLeft(sets);
  if (options.dryRun === true) {
    // Nothing is started, so no folder is taken.
    const runId = options.runId ?? defaultRunId("upgrade", new Date());
    const request = await newRun(experiment, { ...asked, runId }, terminal);
    const { plan, leftOut } = planOf(request, sets, options);
    const { host, declared } = request;
    for (const sentence of leftOut) terminal.stderr.write(`${sentence}\n`);

    const both = [from, to].map((set) => ({ set, installed: isInstalled(set) }));
    const text =
      options.json === true
        ? renderDryRun(plan, { host, declared, concurrency: CONCURRENCY, json: true, page })
        : renderUpgradeDryRun(plan, { sets: both, host, declared, page });
    terminal.stdout.write(`${text}\n`);
    return;
  }
  const { request, release } = await claimNewRun(experiment, asked, terminal, "upgrade");
  try {
    const { plan, inFlight, leftOut } = planOf(request, sets, options);
    for (const sentence of leftOut) terminal.stderr.write(`${sentence}\n`);
    terminal.stderr.write(
      `run ${plan.run} · ${from.name} → ${to.name} · ${howMany(plan.specs.length, "trial")}, ${howMany(inFlight, "condition")} in flight and back\n`,
    );
    const { storage } = options;
    const { cancelled, traces } = await executeShown(
      { ...request, plan, left: plan.specs },
      { concurrency: CONCURRENCY, port: null, storage },
      terminal,
      [from, to],
    );
    if (cancelled && traces.length === 0) {
      terminal.exit(EXIT.interrupted);
      return;
    }
    terminal.exit(await showResult(await openStored(request.folder), options, terminal, cancelled));
  } finally {
    release();
  }
}

/** What stored traces come to, shown in the form that is asked for. @throws UserError when they are of no upgrade. */
async function showResult(
  stored: StoredTraces,
  options: UpgradeOptions,
  terminal: Terminal,
  cancelled = false,
): Promise<ExitCode> {
  const replaced = replacesText(options.reporter ?? [], options.json === true);
  const read = new Map(stored.traces.map((trace) => [trace.path, trace.read]));
  const judged = judgeStored(stored);
  const upgraded = upgradeRunOf(judged, (path) => (read.get(path) ?? (() => readTrace(path)))());
  if (upgraded === null)
    throw new UserError(
      `'${judged.folder}' holds no whole run of 'upgrade': trials under both sets are needed`,
    );
  const comparison = UpgradeComparison.parse(compareUpgrade(upgraded));
  const known = knownFindings(comparison.sets.from, comparison.sets.to);
  const isStale = staleFindings(comparison, known).length > 0;
  const exitCode = cancelled ? EXIT.interrupted : codeOf(judged, comparison, isStale);
  const path = shownPath(stored.folder);
  const next = `Traces: ${path} · why each verdict: npm run judge -- ${path} · this page again: npm run upgrade -- --stored ${path}`;
  if (replaced) terminal.stderr.write(`${next}\n`);
  else if (options.json === true) {
    terminal.stdout.write(`${printableJson(comparison)}\n`);
    terminal.stderr.write(`${next}\n`);
  } else {
    const text = renderUpgrade(upgradePart(comparison, known), comparison.run, pageFor(terminal.stdout));
    terminal.stdout.write(`${text}\n${next}\n`);
  }
  await writeReports(options.reporter ?? [], [reportOfRun(judged, exitCode)], terminal);
  return exitCode;
}

type Sets = { readonly from: SdkSet; readonly to: SdkSet };

/** Subjects that an OpenCode server is. */
const SERVER_SUBJECTS = KnownSubject.options.filter((subject) => SUBJECTS[subject].runs === "process");

function isOfServer({ factors }: { readonly factors: Pick<TrialSpec["factors"], "subject"> }): boolean {
  return subjectTraits(factors.subject).runs === "process";
}

function noConditionLeft({ from, to }: Sets): UserError {
  return new UserError(
    `no condition is left: ${from.name} and ${to.name} can be compared in conditions of an OpenCode server, as --experiment ${SERVER_EXPERIMENT} has them`,
  );
}

function namesServer({ from, to }: Sets): boolean {
  return from.server !== undefined || to.server !== undefined;
}

/** Whether the user says which conditions; else a few are taken that show the most. */
function isChosen({ only, condition, all }: UpgradeOptions): boolean {
  return only !== undefined || condition !== undefined || all === true;
}

/** What is to be kept of the experiment, in the words of `run`: what nobody chose is what can be in flight. */
function askedConditions(options: UpgradeOptions, sets: Sets): Pick<RunOptions, "only" | "subject"> {
  const only = options.only ?? (isChosen(options) ? undefined : "reset=kill");
  return {
    ...(only === undefined ? {} : { only }),
    ...(namesServer(sets) ? { subject: SERVER_SUBJECTS } : {}),
  };
}

/** The plan, how many conditions are upgraded in flight, and what was left out and why. @throws UserError when nothing is left. */
function planOf(
  request: RunRequest,
  sets: Sets,
  options: UpgradeOptions,
): { readonly plan: RunPlan; readonly inFlight: number; readonly leftOut: readonly string[] } {
  const { from, to } = sets;
  const chosen = isChosen(options);
  const fitting = request.plan.specs.filter((spec) => spec.canary || !namesServer(sets) || isOfServer(spec));
  const kept = fitting.filter((spec) => spec.canary || chosen || isQuick(spec));
  const specs = kept.filter((spec) => spec.canary || coreComesTo(spec, sets));
  if (specs.every(({ canary }) => canary)) throw noConditionLeft(sets);
  const missed = new Set(kept.filter((spec) => !specs.includes(spec)).map(({ condition }) => condition));
  return {
    plan: upgradePlan(
      { ...request.plan, specs, commandLine: withoutFolders(request.plan.commandLine) },
      { from: from.name, to: to.name },
    ),
    inFlight: new Set(specs.filter(isInFlight).map(({ condition }) => condition)).size,
    leftOut:
      missed.size === 0
        ? []
        : [`left out, since the core of one of the servers cannot come there: ${[...missed].join(", ")}`],
  };
}

/** One condition for each place in the turn, which is what an upgrade in flight can hit. */
const QUICK_POINTS: ReadonlySet<Point> = new Set([
  "accepted",
  "model-request",
  "before-commit",
  "after-commit",
  "after-receipt",
]);

function isQuick({ condition, factors }: TrialSpec): boolean {
  const { subject, point } = factors;
  if (subject !== "opencode" && subjectTraits(subject).runs === "object") return true;
  return QUICK_POINTS.has(point) && condition === `${subject}/${point}/kill/append/reissue`;
}

/** Whether both servers come to the condition's point: a core that runs nothing stays where a prompt is accepted. */
function coreComesTo({ factors }: TrialSpec, sets: Sets): boolean {
  if (subjectTraits(factors.subject).onCore !== true) return true;
  const cores = [sets.from, sets.to].map(({ server }) => server?.core ?? "runs");
  return cores.every((core) => core === "runs" || (core === "accepts" && factors.point === "accepted"));
}

/**
 * An invalid or missing trial decides nothing, whatever else differs. A question that a valid trial leaves open is open where
 * nothing differs: one that is answered under one set alone is a difference.
 */
function codeOf(judged: JudgedRun, { answers }: UpgradeComparison, stale: boolean): ExitCode {
  const code = exitCodeOf(judged);
  const isWhole =
    judged.missing.length + judged.problems.length === 0 &&
    judged.trials.every((trial) => !["invalid", "acquitted"].includes(outcomeOf(trial)));
  if (code === EXIT.kitFailed || (code === EXIT.undecided && !isWhole)) return code;
  const all = Object.values(answers);
  if (stale || all.includes("differs") || all.includes("unreadable")) return EXIT.differs;
  return code === EXIT.undecided || all.includes("unknown") ? EXIT.undecided : EXIT.asExpected;
}

/** @throws UserError when a set is not known, or both are the same. */
function setsOf({ from, to }: UpgradeOptions): [SdkSet, SdkSet] {
  if (from === undefined || to === undefined)
    throw new UserError("upgrade needs --from and --to; the sets: npm run upgrade -- --list");
  const first = setCalled(from, "--from");
  const second = to.includes("=") ? changedSet(first, to) : setCalled(to, "--to");
  if (first.name === second.name)
    throw new UserError(`--from and --to both name '${first.name}': an upgrade needs two sets`);
  const both = [first, second];
  if (both.some(({ server }) => server !== undefined) && both.some((set) => set.hostLayout !== undefined))
    throw new UserError(
      `${first.name} and ${second.name} have no condition in common: the one is of an OpenCode server, the other of the stand-in`,
    );
  return [first, second];
}

/** A set with other packages, called after what was changed. */
function changedSet(base: SdkSet, text: string): SdkSet {
  const packages = Object.fromEntries(
    text.split(",").map((part) => {
      const [name = "", what = "", ...more] = part.split("=").map((one) => one.trim());
      const known = SetPackage.safeParse(name);
      if (!known.success || what === "" || more.length > 0)
        throw new UserError(
          `--to: '${part}' is not of the form package=version or package=path; packages: ${SetPackage.options.join(", ")}`,
        );
      if (isPath(what) && !existsSync(what)) throw new UserError(`--to: there is no '${what}'`);
      return [known.data, what];
    }),
  );
  const label = Object.entries(packages)
    .map(([name, what]) => {
      const shown = isPath(what) ? basename(what).replace(/\.(tgz|tar\.gz)$/, "") : what;
      return shown.startsWith(name) ? shown : `${name}-${shown}`;
    })
    .join("-")
    .replaceAll(/[^a-zA-Z0-9@/.-]/g, "-");
  const parsed = SdkSet.safeParse({
    ...base,
    name: `${base.name}+${label.slice(0, 80)}`,
    description: `${base.name} with ${label}`.slice(0, 300),
    packages: { ...base.packages, ...packages },
  });
  if (!parsed.success) throw new UserError(`--to: ${parsed.error.issues[0]?.message ?? "no set"}`);
  return parsed.data;
}

async function listLines(traces: string, page: Page): Promise<string[]> {
  const measured = await measuredWith(traces);
  return sdkSets().flatMap((set) => {
    const parts = [
      ...Object.entries(set.packages).map(([name, what]) => `${name} ${what}`),
      ...(set.hostLayout === undefined ? [] : [`stand-in tables ${set.hostLayout}`]),
      ...(set.compatibilityDate === undefined ? [] : [`compatibility date ${set.compatibilityDate}`]),
      ...(set.server === undefined ? [] : [`OpenCode server ${set.server.version}`]),
    ];
    const runs = measured.get(set.name) ?? [];
    return [
      `${page.paint("bold", set.name)}  ${isInstalled(set) ? "installed" : "not installed: the first run with it installs it"}`,
      ...wrap(set.description, page.width, "  "),
      ...(parts.length === 0 ? [] : wrap(parts.join(", "), page.width, "  ")),
      ...(runs.length === 0
        ? ["  nothing was measured with it yet"]
        : runs.map((run) => `  ${printable(run)}`)),
    ];
  });
}

/** Stored runs of `upgrade`, by each set that they name. */
async function measuredWith(traces: string): Promise<ReadonlyMap<string, string[]>> {
  const found = new Map<string, string[]>();
  if (!existsSync(traces)) return found;
  for (const name of (await readdir(traces)).sort()) {
    const plan = await readStoredPlan(join(traces, name)).catch(() => null);
    const path = shownPath(join(traces, name));
    for (const [set, measured] of namedIn(plan?.specs ?? []))
      found.set(set, [...(found.get(set) ?? []), `${measured}: ${path}`]);
  }
  return found;
}

/** Each set that the trials name, with what was done with it. */
function namedIn(specs: readonly Pick<TrialSpec, "sets">[]): Map<string, string> {
  const named = specs.flatMap(({ sets }) => sets ?? []);
  const crossing = named.find(({ before, after }) => before !== after);
  if (crossing === undefined) return new Map(named.map(({ before }) => [before, "by itself"]));
  // The first of an upgrade's trials to cross is in flight; those of the way back come later in its plan.
  const pair = `${crossing.before} → ${crossing.after}`;
  return new Map([crossing.before, crossing.after].map((set) => [set, pair]));
}

/** A trace holds no path of a machine. */
function withoutFolders(commandLine: readonly string[]): string[] {
  return commandLine.map((text) => text.replaceAll(/=[^,=]*\/([^,=/]+)/g, "=$1"));
}

function several(name: string, before: readonly string[] = []): string[] {
  return [...before, name];
}
