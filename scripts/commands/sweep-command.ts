/** `sweep <subject>`: counts the durable writes of a turn, loses the object at each of them, and shows the map of the turn. */
import { join } from "node:path";
import { Argument, type Command, Option } from "commander";
import { sweepOf } from "../../experiments/sweep.ts";
import { KnownSubject, subjectTraits } from "../../src/harnesses/index.ts";
import { writesOf } from "../../src/summarize/turn-map.ts";
import { RunId } from "../../src/trace/ids.ts";
import { Destination, Policy } from "../../src/trace/levels.ts";
import { TrialSpec } from "../../src/trace/spec.ts";
import { printableJson } from "../base/printable.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import { StorageOption } from "../local/storage-choice.ts";
import { chooseHost, HostOption } from "../local/workerd/host-choice.ts";
import { renderDryRun } from "../present/dry-run.ts";
import { choiceLines } from "../present/host-lines.ts";
import { howMany } from "../present/numbers.ts";
import { pageFor } from "../present/page.ts";
import { renderSweep } from "../present/sweep-text.ts";
import { makePlan } from "../run/make-plan.ts";
import { findRun } from "../run/resume.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { EVERYTHING } from "../run/selection.ts";
import { countingSpecs, crashPlaces, lossSpecs, namedPointSpecs } from "../run/sweep-plan.ts";
import { EXIT, type ExitCode } from "../stored/outcome.ts";
import { readTrace } from "../stored/read-trace.ts";
import { readStoredPlan, writeStoredPlan } from "../stored/stored-run.ts";
import { isConvicted, type StoredSweep, sweepOfTraces } from "../stored/stored-sweep.ts";
import { openFolder } from "../stored/stored-traces.ts";
import { trialNameOf } from "../stored/trace-names.ts";
import { executeShown } from "./carry-out.ts";
import { claimRun } from "./claim-run.ts";
import { parsedBy, tracesOption, wholeNumber } from "./options.ts";
import { defaultRunId, type RunRequest, recordedArguments } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

/** Far more than a turn has crash points. */
const CONCURRENCY = 1_000;

/** An object that does its work itself, and is there without being asked for. */
const SWEPT: readonly KnownSubject[] = KnownSubject.options.filter((name) => {
  const { runs, container, canary, onDemand } = subjectTraits(name);
  return runs === "object" && container === undefined && !canary && !onDemand;
});

type SweepOptions = {
  readonly policy: Policy;
  readonly destination: Destination;
  readonly everyWrite?: true;
  readonly points?: false;
  readonly host: HostOption;
  readonly storage: StorageOption;
  readonly seed?: number;
  readonly runId?: string;
  readonly traces: string;
  readonly stored?: string;
  readonly dryRun?: true;
  readonly json?: true;
};

export function registerSweep(program: Command, terminal: Terminal): void {
  program
    .command("sweep")
    .description(
      "lose an object at each durable write of its turn, and show where in the turn which answers come",
    )
    .addArgument(new Argument("[subject]", "whose turn").choices(SWEPT))
    .addOption(
      new Option("--policy <policy>", "what the model does when it is told that its call was interrupted")
        .choices(Policy.options)
        .default("reissue"),
    )
    .addOption(
      new Option("--destination <destination>", "what attempts act upon")
        .choices(Destination.options)
        .default("append"),
    )
    .option("--every-write", "both sides of each write, and not only of what becomes durable together")
    .addOption(
      new Option("--host <host>", "OpenCode host; auto takes the SDK when it is installed")
        .choices(HostOption.options)
        .default("auto"),
    )
    .addOption(
      new Option(
        "--storage <place>",
        "where the processes keep theirs; auto takes memory where there is room",
      )
        .choices(StorageOption.options)
        .default("auto"),
    )
    .option("--no-points", "leave the points with a name out, so that nothing shows where they lie")
    .option("--seed <n>", "repeats the delays of an earlier run", wholeNumber(0, 2 ** 31 - 1))
    .option("--run-id <id>", "name of the run and of its folder", parsedBy(RunId))
    .addOption(tracesOption())
    .option("--stored <run>", "the map of an earlier sweep again, from its traces; nothing is run")
    .option("--dry-run", "print what is known before the writes are counted and start nothing")
    .option("--json", "print one JSON object instead of the text")
    .action((subject: KnownSubject | undefined, options: SweepOptions) => sweep(subject, options, terminal));
}

async function sweep(
  subject: KnownSubject | undefined,
  options: SweepOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.stored !== undefined) {
    await showMap(findRun(options.stored, options.traces), options, terminal);
    return;
  }
  if (subject === undefined) throw new UserError(`sweep needs a subject: ${SWEPT.join(", ")}`);
  const make = async (runId: string) => requestOf(subject, runId, options, terminal);
  const prefix = `sweep-${subject}`;
  if (options.dryRun === true) {
    const { plan, host } = await make(options.runId ?? defaultRunId(prefix, new Date()));
    const page = pageFor(terminal.stdout);
    const specs = [...countingSpecs(plan), ...pointSpecs(plan, options)];
    const json = options.json === true;
    const text = renderDryRun(
      { ...plan, specs },
      { host, declared: [], concurrency: CONCURRENCY, json, page },
    );
    terminal.stdout.write(`${text}\n`);
    if (!json)
      terminal.stderr.write("Then the losses at the writes, as many as the turn is counted to have.\n");
    return;
  }
  const { request, release } = await claimRun(make, options.runId, prefix);
  try {
    await carryOutSweep(request, options, terminal);
  } finally {
    release();
  }
}

function requestOf(
  subject: KnownSubject,
  run: string,
  options: SweepOptions,
  { argv }: Terminal,
): RunRequest {
  const host = chooseHost(options.host);
  const plan = makePlan(sweepOf(subject, options), {
    run,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 31),
    repeats: 1,
    quietMs: null,
    settleMs: null,
    host: host.kind,
    only: EVERYTHING,
    loadPerSecond: 0,
    commandLine: recordedArguments(argv),
  });
  return {
    ...{ plan, host, storage: options.storage, declared: [], left: plan.specs, resume: null },
    ...{ own: null, commands: null },
    folder: join(options.traces, run),
    heading: [`run ${run} · sweep of ${subject} · seed ${plan.seed}`],
  };
}

function pointSpecs(plan: RunPlan, { points }: SweepOptions): TrialSpec[] {
  return points === false ? [] : namedPointSpecs(plan);
}

async function carryOutSweep(request: RunRequest, options: SweepOptions, terminal: Terminal): Promise<void> {
  const { stderr, exit } = terminal;
  const { plan, folder } = request;
  const counting = countingSpecs(plan);
  stderr.write(`${[...request.heading, ...choiceLines(request.host, pageFor(stderr))].join("\n")}\n`);
  const carried = {
    concurrency: CONCURRENCY,
    json: false,
    port: null,
    storage: options.storage,
    require: [],
    reporters: [],
  };
  const first = await executeShown(
    { ...request, plan: { ...plan, specs: counting }, left: counting },
    carried,
    terminal,
  );
  if (first.cancelled) {
    exit(EXIT.interrupted);
    return;
  }
  const losses = counting
    .filter(({ repeat }) => repeat === 1)
    .flatMap((spec) => {
      const path = first.traces.find((one) => trialNameOf(one) === spec.trial);
      const writes = path === undefined ? [] : writesOf(readTrace(path));
      stderr.write(`${spec.factors.subject}: ${howMany(writes.length, "durable write")}\n`);
      return lossSpecs(plan, spec, crashPlaces(writes, options.everyWrite === true));
    });
  if (losses.length === 0)
    throw new UserError(`no write of the turn was numbered; why: npm run kit -- show ${counting[0]?.trial}`);
  const rest = [...losses, ...pointSpecs(plan, options)].map((spec) => TrialSpec.parse(spec));
  const whole = { ...plan, specs: [...counting, ...rest] };
  const begun = await readStoredPlan(folder);
  const second = await executeShown(
    {
      ...request,
      plan: whole,
      left: rest,
      resume: {
        keep: new Set(counting.map(({ trial }) => trial)),
        commandLine: plan.commandLine,
        // The second half of one plan, which is known only now.
        begin: () => writeStoredPlan(folder, { ...begun, specs: whole.specs }),
      },
    },
    carried,
    terminal,
  );
  if (second.cancelled) {
    stderr.write(
      `Traces: ${shownPath(folder)} · finish it: npm run kit -- run --resume ${shownPath(folder)}, then: npm run kit -- sweep --stored ${plan.run}\n`,
    );
    exit(EXIT.interrupted);
    return;
  }
  await showMap(folder, options, terminal);
}

async function showMap(folder: string, { json }: SweepOptions, terminal: Terminal): Promise<void> {
  const { stdout, stderr, exit } = terminal;
  const found = sweepOfTraces(await openFolder(folder));
  const path = shownPath(folder);
  const where = `Traces: ${path} · why each verdict: npm run judge -- ${path} · this map again: npm run kit -- sweep --stored ${found.run}`;
  if (json === true) {
    stdout.write(
      `${printableJson({ ...found, convicted: found.canary !== null && isConvicted(found.canary) })}\n`,
    );
    stderr.write(`${where}\n`);
  } else stdout.write(`${renderSweep(found, pageFor(stdout))}\n${where}\n`);
  exit(codeOf(found));
}

/** A point without an answer leaves its place in the map open. */
function codeOf({ map, canary, missing }: StoredSweep): ExitCode {
  const isOpen = map.left.length > 0 || missing.length > 0 || canary === null || !isConvicted(canary);
  return isOpen ? EXIT.undecided : EXIT.asExpected;
}
