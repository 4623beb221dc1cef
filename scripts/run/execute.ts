/**
 * Carries out a run plan on the local runtime, or on another one that it is given: starts trials, performs process resets when a wave stands at its
 * barrier, exports each trace as its trial ends. Decides no verdict.
 *
 * Ctrl-C (the passed signal) ends running trials as `cancelled`, exports what was recorded and stops every process.
 */
import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { subjectTraits } from "../../src/harnesses/index.ts";
import type { AgentCliName, SubjectTraits } from "../../src/harnesses/subject-traits.ts";
import { call, type Peer, PeerError } from "../../src/link/call.ts";
import type { Phase } from "../../src/trace/levels.ts";
import {
  type CancelRequest,
  STATES_MAX,
  StatesResponse,
  type TrialState,
} from "../../src/trace/protocol/controller-protocol.ts";
import { LedgerStatus } from "../../src/trace/protocol/ledger-protocol.ts";
import type { RefusalCode } from "../../src/trace/protocol/refusals.ts";
import { isForRunner } from "../../src/trace/resets.ts";
import type { Environment, HostIdentity, TrialSpec } from "../../src/trace/spec.ts";
import { toldVersion } from "../base/install-package.ts";
import { MachineError, machineErrorOf } from "../base/machine-error.ts";
import { shownPath } from "../base/shown-path.ts";
import { UserError } from "../base/user-error.ts";
import type { AgentCommand } from "../local/command/agent-command.ts";
import { installCli } from "../local/container/agent-clis.ts";
import { LocalRuntime } from "../local/local-runtime.ts";
import { enterScratch } from "../local/process/scratch.ts";
import type { ProcessEnd } from "../local/process/subject-process.ts";
import { installServer } from "../local/server/install.ts";
import { chooseHost } from "../local/workerd/host-choice.ts";
import { judgeTrace } from "../stored/judge-trace.ts";
import { type StoredPlan, writeStoredPlan } from "../stored/stored-run.ts";
import { Admission } from "./admission.ts";
import { applyLoad } from "./background-load.ts";
import { eachOf } from "./each-of.ts";
import { clisOf, describeEnvironment } from "./environment.ts";
import { estimateLeftMs } from "./estimate.ts";
import { exportTrace } from "./export-trace.ts";
import { FileReader } from "./file-reader.ts";
import { type News, NewsReader } from "./news.ts";
import { ResetDesk, type Waiting } from "./reset-desk.ts";
import { type ExecuteOptions, type RunOutcome, type RunPlan, type RunProgress, RunStop } from "./run-plan.ts";
import type { Runtime } from "./runtime.ts";
import { SlotSchedule } from "./schedule.ts";
import { SetsOfRun } from "./sets-of-run.ts";

/** How long after a trace could not be stored it is tried again, in ms. */
const STORE_AGAIN_MS = 2_000;

const TRIAL_ENDED: RefusalCode = "trial-ended";

const Created = z.strictObject({ trial: z.string() });

/** As how many trials one counts on its way. */
const weightOf = ({ factors }: TrialSpec): number => subjectTraits(factors.subject).weight ?? 1;

type Tracked = {
  readonly spec: TrialSpec;
  startedAt: number;
  state: TrialState | null;
  /** The last one that is known of. */
  phase: Phase | null;
  /** When its journal was last heard to have grown. */
  grewAt: number;
  /** Whether its journal names the process that held its storage at first. */
  placed: boolean;
  path: string | null;
  /** Why its trace could not be stored, and when that was tried; its journal is kept until it could. */
  refused: { readonly error: MachineError; readonly atMs: number } | null;
};

export async function executeRun(plan: RunPlan, options: ExecuteOptions): Promise<RunOutcome> {
  const { resume } = options;
  const host = options.host ?? chooseHost(plan.host);
  const specs = plan.specs.filter(({ trial }) => resume?.keep.has(trial) !== true);
  const slotsOf = (own: readonly TrialSpec[]) => [...new Set(own.map(({ slot }) => slot))].sort();
  const running = (runs: SubjectTraits["runs"]) =>
    specs.filter(({ factors }) => subjectTraits(factors.subject).runs === runs);
  const slots = slotsOf(running("object"));
  const serverSlots = slotsOf(running("process"));
  const commands = commandSlots(running("command"), options.commands);
  const total = plan.specs.length;
  const ended = total - specs.length;
  const idle = { total, queued: specs.length, running: 0, ended, phases: {}, leftMs: null };
  await enterScratch();
  const sets = await SetsOfRun.load(specs, options.sets ?? [], plan.host, options.onNote);
  const needsPinned = serverSlots.some((slot) => !sets.bySlot.has(slot));
  const binary = needsPinned ? await installServer(options.onNote) : "";
  const server = needsPinned ? await toldVersion(binary) : null;
  const servers = { slots: serverSlots, binary };
  const clis = new Map<AgentCliName, string>();
  for (const cli of clisOf(specs)) clis.set(cli, await installCli(cli, options.onNote));
  let execution: Execution | undefined;
  const onSlotDied = (slot: string, end: ProcessEnd) => execution?.slotDied(slot, end);
  options.onProgress({ stage: "starting", ...idle });
  const onBundling = () => options.onProgress({ stage: "bundling", ...idle });
  const { port, signal, storage = "auto" } = options;
  const trials = specs.length;
  const { own: project } = options;
  const onlyTrialOf = (slot: string) => {
    const [only, another] = specs.filter((spec) => spec.slot === slot);
    return another === undefined ? (only?.trial ?? null) : null;
  };
  const start = {
    ...(project === undefined ? {} : { own: { project, onlyTrialOf } }),
    host,
    slots,
    servers,
    commands,
    containers: specs.some(({ container }) => container !== undefined),
    clis,
    sets: sets.bySlot,
    port,
    storage,
    trials,
    onBundling,
    signal,
    onSlotDied,
  };
  const starting: Promise<Runtime> = options.on?.() ?? LocalRuntime.start(start);
  const runtime = await unlessAborted(starting, signal);
  if (runtime === null) {
    // Nobody waits for it. What it is starting ends with this process, if not before.
    void starting.then((late) => late.stop({ keepStorage: false })).catch(() => undefined);
    return { traces: [], cancelled: true };
  }
  options.onStorage?.(runtime.storage);
  const startedAt = new Date();
  const over = new AbortController();
  let isAbandoned = true;
  try {
    const environment = await describeEnvironment({
      host,
      server,
      clis: clisOf(specs),
      where: runtime.where,
      bundles: runtime.bundles.values(),
      storage: runtime.storage,
      commandLine: resume?.commandLine ?? plan.commandLine,
      seed: plan.seed,
      startedAt,
      own: project?.sources ?? null,
      ...ownHost(specs, project),
    });
    await makeFolder(options.tracesDir);
    if (resume === undefined) await writeStoredPlan(options.tracesDir, storedPlan(plan, environment));
    else await resume.begin(environment);
    const loading = applyLoad(runtime, specs[0]?.loadPerSecond ?? 0, over.signal);
    execution = new Execution(specs, ended, options, runtime, (spec) =>
      sets.environmentOf(spec, environment, runtime),
    );
    const trials = execution.run.bind(execution);
    const isMeasured = options.measure !== undefined && runtime instanceof LocalRuntime;
    const outcome = await (isMeasured ? options.measure(runtime, trials) : trials());
    over.abort();
    await loading;
    isAbandoned = outcome.cancelled;
    return outcome;
  } finally {
    over.abort();
    options.onProgress({ stage: "stopping", ...idle, queued: 0, ended: total });
    const unstored = execution?.unstored.length ?? 0;
    await runtime.stop({ keepStorage: unstored > 0, keepLogIn: options.tracesDir, isAbandoned });
    if (unstored > 0)
      options.onNote(`the journals of trials without a stored trace are kept in ${runtime.storageFolder}`);
  }
}

/** What each trial's own slot starts. @throws UserError where nobody says what that is. */
function commandSlots(
  specs: readonly TrialSpec[],
  commands: ExecuteOptions["commands"],
): ReadonlyMap<string, AgentCommand> {
  return new Map(
    specs.map(({ slot, factors: { subject } }) => {
      const agent = Object.entries(commands ?? {}).find(([name]) => name === subject)?.[1];
      if (agent === undefined)
        throw new UserError(
          `subject '${subject}' is a command: 'try --agent <command>' says which, or the file of a 'run' (docs/your-agent.md)`,
        );
      return [slot, agent] as const;
    }),
  );
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw machineErrorOf(error, { operation: "make the folder", path }) ?? error;
  }
}

/** Null as soon as the signal is aborted. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
  return Promise.race([aborted, promise]);
}

function storedPlan(plan: RunPlan, environment: Environment): StoredPlan {
  return {
    ...plan,
    specs: [...plan.specs],
    commandLine: [...plan.commandLine],
    environment,
    resumptions: [],
  };
}

class Execution {
  /** Trials that ended in an earlier part of the run. */
  readonly #endedBefore: number;
  readonly #options: ExecuteOptions;
  readonly #controller: Peer;
  readonly #environmentOf: (spec: TrialSpec) => Environment;
  readonly #isShared: boolean;
  readonly #runtime: Pick<Runtime, "trialBegins" | "trialOver">;
  readonly #tracked: Map<string, Tracked>;
  readonly #schedules: readonly SlotSchedule[];
  readonly #admission = new Admission(availableParallelism());
  readonly #desk: ResetDesk;
  readonly #files: FileReader;
  readonly #news: NewsReader;

  constructor(
    specs: readonly TrialSpec[],
    endedBefore: number,
    options: ExecuteOptions,
    runtime: Runtime,
    environmentOf: (spec: TrialSpec) => Environment,
  ) {
    this.#endedBefore = endedBefore;
    this.#options = options;
    this.#controller = runtime.controller;
    this.#environmentOf = environmentOf;
    this.#isShared = runtime.isShared;
    this.#runtime = runtime;
    this.#tracked = new Map(
      specs.map((spec) => [
        spec.trial,
        { spec, startedAt: 0, state: null, phase: null, grewAt: 0, placed: false, path: null, refused: null },
      ]),
    );
    this.#desk = new ResetDesk(runtime, options.onNote, options.signal);
    this.#files = new FileReader(runtime, options.onNote);
    this.#news = new NewsReader(runtime.controller);
    const slots = Map.groupBy(specs, (spec) => spec.slot);
    this.#schedules = [...slots].map(([slot, own]) => new SlotSchedule(slot, own, options.concurrency));
  }

  slotDied(slot: string, end: ProcessEnd): void {
    const trials = this.#openTrials().filter(({ spec }) => spec.slot === slot);
    this.#desk.processDied(
      slot,
      end,
      trials.map(({ spec }) => spec.trial),
    );
  }

  /** No process is being started any more when it returns, whichever way. */
  async run(): Promise<RunOutcome> {
    try {
      return await this.#run();
    } finally {
      await this.#desk.resetsEnded();
    }
  }

  async #run(): Promise<RunOutcome> {
    const { signal } = this.#options;
    while (!signal.aborted && this.#schedules.some((schedule) => !schedule.finished)) {
      let room = this.#room();
      for (const schedule of this.#current()) {
        const next = schedule.takeNext(room, weightOf);
        room -= next.reduce((sum, spec) => sum + weightOf(spec), 0);
        await this.#startTrials(next);
        this.#desk.resetProcess(schedule.slot, this.#waiting(schedule.takeBarrier()));
        for (const waiting of this.#waiting(schedule.takeSingles())) this.#desk.resetObject(waiting);
      }
      const news = await this.#news.next(signal);
      if (!signal.aborted) await this.#takeNews(news);
      this.#report("running");
    }
    if (signal.aborted) await this.#cancel();
    else await this.#desk.idle();
    await this.#files.idle();
    await this.#storeRefused();
    const traces = [...this.#tracked.values()].map(({ path }) => path).filter((path) => path !== null);
    return { traces, cancelled: signal.aborted };
  }

  /** The schedules that go on now: where all slots are one process, a reset must hit no other slot's trials. */
  #current(): readonly SlotSchedule[] {
    if (!this.#isShared) return this.#schedules;
    const next = this.#schedules.find(({ finished }) => !finished);
    return next === undefined ? [] : [next];
  }

  /** How many trials may be started now, whatever their slot: all processes share the machine. */
  #room(): number {
    const open = this.#openTrials().map(({ spec, phase, grewAt }) => ({
      phase,
      grewAt,
      weight: weightOf(spec),
    }));
    return this.#admission.room(open, Date.now());
  }

  async #startTrials(specs: readonly TrialSpec[]): Promise<void> {
    await eachOf(specs, async (spec) => {
      const tracked = this.#of(spec.trial);
      tracked.startedAt = tracked.grewAt = Date.now();
      this.#runtime.trialBegins(spec);
      const body = { spec, environment: this.#environmentOf(spec) };
      await call(this.#controller, "POST", "/trials", Created, { body });
    });
  }

  /** What the given trials wait for, as their last state says. */
  #waiting(trials: readonly string[]): Waiting[] {
    return trials.flatMap((trial) => {
      const { spec, state } = this.#of(trial);
      return state?.awaitingReset == null ? [] : [{ spec, ...state.awaitingReset }];
    });
  }

  async #takeNews({ notices, round }: News): Promise<void> {
    const open = new Map(this.#openTrials().map((tracked) => [tracked.spec.trial, tracked]));
    // The board is everybody's: it may name trials of another run.
    const own = notices.flatMap(({ trial, ...notice }) => {
      const tracked = open.get(trial);
      return tracked === undefined ? [] : [{ tracked, ...notice }];
    });
    for (const { tracked, phase } of own) {
      tracked.phase = phase;
      tracked.grewAt = Date.now();
    }
    // Trials of whose process their journal says nothing yet are looked at until it does.
    const toLookAt =
      round === null
        ? new Set([
            ...own.filter(({ look }) => look).map(({ tracked }) => tracked),
            ...[...open.values()].filter(({ placed, state }) => !placed && (state?.records ?? 0) > 0),
          ])
        : open.values();
    await this.#readStates([...toLookAt], round?.workflows ?? false);
    this.#files.locate(own.filter(({ phase }) => phase === "quiet").map(({ tracked }) => tracked.spec));
  }

  async #readStates(open: readonly Tracked[], workflows: boolean): Promise<void> {
    for (let from = 0; from < open.length; from += STATES_MAX) {
      const trials = open.slice(from, from + STATES_MAX).map(({ spec }) => spec.trial);
      const { states } = await call(this.#controller, "POST", "/trials/states", StatesResponse, {
        body: { trials, workflows },
      });
      // Before anything that takes long: the trials wait for it, and their objects go on.
      this.#files.read(
        states.flatMap(({ trial, awaitingReading: when }) =>
          when === null ? [] : [{ spec: this.#of(trial).spec, when }],
        ),
      );
      await this.#notePlaces(states);
      await eachOf(states, (state) => this.#take(state));
    }
  }

  /** Says in each journal that has begun which process the trial's object lives in. */
  async #notePlaces(states: readonly TrialState[]): Promise<void> {
    const begun = states.filter(({ trial, records }) => records > 0 && !this.#of(trial).placed);
    const slots = Map.groupBy(begun, ({ trial }) => this.#of(trial).spec.slot);
    for (const [slot, own] of slots) {
      const noted = await this.#desk.noteProcess(
        slot,
        own.map(({ trial }) => trial),
      );
      for (const { trial } of own) this.#of(trial).placed = noted;
    }
  }

  async #take(state: TrialState): Promise<void> {
    const tracked = this.#of(state.trial);
    if (state.records !== tracked.state?.records) tracked.grewAt = Date.now();
    tracked.state = state;
    tracked.phase = state.phase;
    const schedule = this.#schedules.find(({ slot }) => slot === tracked.spec.slot);
    if (state.ended === null && (state.workflow === "errored" || state.workflow === "terminated")) {
      // The Workflow died before it could close its journal: the CLI closes it and says why.
      const detail = `the trial Workflow ended as '${state.workflow}': ${state.error ?? "no reason"}`;
      this.#options.onNote(`${state.trial}: ${detail}`);
      await this.#end(tracked, { reason: "error", detail: detail.slice(0, 4_000) });
      schedule?.note(state.trial, "ended");
    } else if (state.ended !== null) {
      const isNew = tracked.refused === null;
      await this.#export(tracked, state.records, state.head);
      if (isNew && state.ended !== "completed")
        this.#options.onNote(`${state.trial} (${tracked.spec.condition}) ended: ${state.ended}`);
      schedule?.note(state.trial, "ended");
    } else if (state.awaitingReset !== null && isForRunner(state.awaitingReset.reset))
      schedule?.note(state.trial, "awaiting-reset", state.awaitingReset.ordinal);
    else schedule?.note(state.trial, "running");
  }

  /** Started and not exported yet. */
  #openTrials(): Tracked[] {
    return [...this.#tracked.values()].filter(({ startedAt, path }) => startedAt > 0 && path === null);
  }

  async #cancel(): Promise<void> {
    this.#report("stopping");
    const { reason } = this.#options.signal;
    const detail = reason instanceof RunStop ? reason.message : "cancelled by the user";
    await eachOf(this.#openTrials(), (tracked) => this.#end(tracked, { reason: "cancelled", detail }));
  }

  /** Closes a trial's journal and exports what it holds. A trial without a journal leaves no trace. */
  async #end(tracked: Tracked, body: CancelRequest): Promise<void> {
    const { trial } = tracked.spec;
    let status: LedgerStatus;
    try {
      status = await call(this.#controller, "POST", `/trials/${trial}/cancel`, LedgerStatus, { body });
    } catch (error) {
      // Somebody else has ended it: what it recorded is exported all the same.
      if (error instanceof PeerError && error.code === TRIAL_ENDED) return this.#readStates([tracked], false);
      this.#options.onNote(
        `${trial}: nothing to export: ${error instanceof Error ? error.message : String(error)}`,
      );
      return;
    }
    await this.#export(tracked, status.records, status.head);
  }

  /** A trace that the machine refuses to store is tried again with each reading of the states, but not at once. */
  async #export(tracked: Tracked, records: number, head: string | null): Promise<void> {
    const { spec, refused } = tracked;
    if (refused !== null && Date.now() - refused.atMs < STORE_AGAIN_MS) return;
    try {
      tracked.path = await exportTrace(this.#options.tracesDir, {
        controller: this.#controller,
        spec,
        environment: this.#environmentOf(spec),
        records,
        head: head ?? "",
      });
    } catch (error) {
      if (!(error instanceof MachineError)) throw error;
      if (refused === null)
        this.#options.onNote(`${spec.trial}: ${error.message}; its journal is kept, and this is tried again`);
      tracked.refused = { error, atMs: Date.now() };
      return;
    }
    tracked.refused = null;
    if (refused !== null) this.#options.onNote(`${spec.trial}: its trace is stored now`);
    verifyLaw(tracked.path);
    await this.#runtime.trialOver(spec);
  }

  /** Trials whose trace was refused, and is not stored. */
  get unstored(): readonly Tracked[] {
    return [...this.#tracked.values()].filter(({ refused }) => refused !== null);
  }

  /** The last attempt. @throws MachineError when a trace still cannot be stored. */
  async #storeRefused(): Promise<void> {
    if (this.unstored.length === 0) return;
    await delay(STORE_AGAIN_MS);
    await this.#readStates(this.#openTrials(), false);
    const left = this.unstored;
    const [last] = left.flatMap(({ refused }) => refused ?? []);
    if (last === undefined) return;
    throw new MachineError(
      `${left.length} of ${this.#tracked.size} traces could not be stored: ${last.error.message}, ` +
        `then 'npm run kit -- run --resume ${shownPath(this.#options.tracesDir)}' finishes the run`,
    );
  }

  #report(stage: RunProgress["stage"]): void {
    const all = [...this.#tracked.values()];
    const running = this.#openTrials();
    const queued = all.filter(({ startedAt }) => startedAt === 0);
    const phases: Record<string, number> = {};
    for (const { phase } of running) phases[phase ?? "starting"] = (phases[phase ?? "starting"] ?? 0) + 1;
    this.#options.onProgress({
      stage,
      total: this.#endedBefore + all.length,
      queued: queued.length,
      running: running.length,
      ended: this.#endedBefore + all.length - running.length - queued.length,
      phases,
      leftMs: this.#leftMs(running, queued),
    });
  }

  #leftMs(running: readonly Tracked[], queued: readonly Tracked[]): number {
    const now = Date.now();
    const slots = this.#schedules.map(({ slot }) => ({
      running: running
        .filter(({ spec }) => spec.slot === slot)
        .map(({ spec, startedAt }) => ({ spec, forMs: now - startedAt })),
      queued: queued.flatMap(({ spec }) => (spec.slot === slot ? spec : [])),
    }));
    return estimateLeftMs(slots, this.#options.concurrency);
  }

  #of(trial: string): Tracked {
    const tracked = this.#tracked.get(trial);
    if (tracked === undefined) throw new Error(`trial '${trial}' is not in the plan`);
    return tracked;
  }
}

/** The law holds whatever a subject does; a breach means that the kit is wrong. @throws to stop the run. */
function verifyLaw(path: string): void {
  const { verdict } = judgeTrace(path);
  const breach = verdict.validity.reasons.find(({ code }) => code === "law-breached");
  if (breach !== undefined)
    throw new Error(
      `the kit is wrong: in ${basename(path)} the ledger's counts contradict each other (${JSON.stringify(verdict.law)})`,
    );
}

/** No host that the kit chose takes part where the user's own Worker is the subject, or commands are. */
function ownHost(
  specs: readonly TrialSpec[],
  project: ExecuteOptions["own"],
): { readonly ownHost?: HostIdentity } {
  if (project !== undefined) return { ownHost: project.host };
  const areCommands = specs.every(({ agent }) => agent === "command");
  return areCommands ? { ownHost: { kind: "none", name: "command", version: "" } } : {};
}
