/**
 * Experiment and options in, plan out. Pure: the same input gives the same plan, down to ids, order and delays, so a
 * dry run prints what a run would do and a seed repeats a schedule.
 */
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { type Condition, conditionsOf } from "../../experiments/conditions.ts";
import type { Experiment } from "../../experiments/experiment-schema.ts";
import { type KnownSubject, SUBJECTS, subjectTraits } from "../../src/harnesses/index.ts";
import {
  CANARY_HEARTBEAT_MS,
  EXECUTOR_SYNC_MS,
  EXECUTOR_UNSYNCED_MS,
  HARNESS_HEARTBEAT_MS,
} from "../../src/trace/heartbeats.ts";
import { POINTS } from "../../src/trace/points.ts";
import { plannedResets } from "../../src/trace/resets.ts";
import type { Bounds, Factors, TrialSpec } from "../../src/trace/spec.ts";
import { endsProcess, targetTraits } from "../../src/trace/targets.ts";
import type { RunPlan } from "./run-plan.ts";
import { type Selection, select } from "./selection.ts";

export type PlanOptions = {
  readonly run: string;
  readonly seed: number;
  /** Trials of each condition. */
  readonly repeats: number;
  /** In place of the experiment's own; null keeps it. */
  readonly quietMs: number | null;
  readonly settleMs: number | null;
  readonly host: RunPlan["host"];
  /** Real model that answers; null for the scripted one. Canaries keep the scripted one, which they are made for. */
  readonly model?: string | null;
  readonly only: Selection;
  readonly loadPerSecond: number;
  readonly commandLine: readonly string[];
};

/** Generous on two busy cores: a wait that runs out makes a trial invalid, so none may be what is measured. */
export const BOUNDS: Bounds = { arriveMs: 30_000, resetMs: 90_000, operationMs: 45_000, canaryMs: 20_000 };

/** A canary may be one that never settles: nobody needs to wait long for it. */
const CANARY_BOUNDS: Bounds = { ...BOUNDS, operationMs: 8_000 };

/** Longest random delay between reaching the point and the reset: identical trials would be near copies. */
export const RESET_DELAY_MS_MAX = 500;

export function makePlan(experiment: Experiment, options: PlanOptions): RunPlan {
  const random = randomFrom(options.seed);
  const conditions = select(conditionsOf(experiment), options.only);
  // A canary convicts the judge's blindness once per run; repeating it would say nothing more.
  const ordinary = conditions.filter(({ canary }) => !canary);
  // Shuffled in blocks, one per repeat, so that no condition gathers at one end of the run.
  const drawn = Array.from({ length: options.repeats }, (_, index) =>
    shuffle(index === 0 ? conditions : ordinary, random).map((condition) => ({
      condition,
      repeat: index + 1,
    })),
  ).flat();
  const digits = Math.max(3, String(drawn.length).length);
  const specs = drawn.map(({ condition, repeat }, index): TrialSpec => {
    const trial = `${options.run}-${String(index + 1).padStart(digits, "0")}`;
    const factors = factorsOf(condition, options);
    return {
      trial,
      run: options.run,
      experiment: experiment.name,
      condition: factors.model === undefined ? condition.name : `${condition.name}/model=${factors.model}`,
      repeat,
      factors,
      intended: [
        {
          action: `ticket:${trial}`,
          key: factors.key === "scenario" ? `key:${trial}` : null,
          effects: 1,
        },
      ],
      operationId: `${trial}-operation`,
      probeId: `${trial}-probe`,
      ...containerOf(condition),
      ...(subjectTraits(factors.subject).handsOutReferences === true ? { references: true as const } : {}),
      ...agentOf(condition),
      slot: ownSlotOf(factors, index) ?? slotOf(factors),
      marker: `${trial}-marker-${hex(random)}`,
      canary: condition.canary,
      sabotage: condition.sabotage,
      loadPerSecond: options.loadPerSecond,
      bounds: boundsOf(condition),
      seed: options.seed,
      ...heartbeatOf(condition),
      resetDelayMs: factors.reset === "none" ? 0 : random(0, RESET_DELAY_MS_MAX),
      // Nobody knows beforehand what a real model does.
      expect: factors.model === undefined ? condition.expect : null,
    };
  });
  return {
    run: options.run,
    experiment: experiment.name,
    seed: options.seed,
    host: options.host,
    specs,
    commandLine: options.commandLine,
  };
}

function factorsOf({ factors, canary }: Condition, options: PlanOptions): Factors {
  return {
    ...factors,
    host: hostOf(factors.subject, options.host),
    quietMs: Math.min(
      options.quietMs ?? factors.quietMs,
      targetTraits(factors).quietMsMax ?? Number.POSITIVE_INFINITY,
    ),
    settleMs: options.settleMs ?? factors.settleMs,
    ...(options.model == null || canary ? {} : { model: options.model }),
  };
}

/**
 * What is put off comes later by so much, and so does what a large program is started for; the witness's alarm has to come
 * after it.
 */
function boundsOf({ canary, factors: { subject, deferredS = 0 } }: Condition): Bounds {
  const { weight: own = 1, agentCli, container } = subjectTraits(subject);
  // A canary that works in a container is as slow as what it is made of.
  const bounds = canary && container === undefined ? CANARY_BOUNDS : BOUNDS;
  const { arriveMs, resetMs, operationMs, canaryMs } = bounds;
  const weight = agentCli === undefined ? 1 : own;
  return {
    arriveMs: arriveMs * weight,
    // Trials of one process wait for the last of them, and heavy ones are not started together.
    resetMs: resetMs * own + deferredS * 1_000,
    operationMs: operationMs * weight,
    canaryMs: canaryMs * weight + deferredS * 1_000,
  };
}

/** A process or a command never looks by itself: nothing wakes it but whoever starts it. */
function heartbeatOf({ factors, canary }: Condition): Pick<TrialSpec, "heartbeatMs"> {
  if (subjectTraits(factors.subject).runs !== "object") return {};
  return { heartbeatMs: canary ? CANARY_HEARTBEAT_MS : HARNESS_HEARTBEAT_MS };
}

/** What stands for its container, where its work is done in one, and how often what works there is stored. */
function containerOf({ factors }: Condition): Pick<TrialSpec, "container" | "executorSyncMs"> {
  const { container } = subjectTraits(factors.subject);
  if (container === undefined) return {};
  const executorSyncMs =
    POINTS[factors.point].files === "not-stored" ? EXECUTOR_UNSYNCED_MS : EXECUTOR_SYNC_MS;
  return { container, executorSyncMs };
}

function agentOf({ factors }: Condition): Pick<TrialSpec, "agent"> {
  return subjectTraits(factors.subject).runs === "command" ? { agent: "command" } : {};
}

function hostOf(subject: KnownSubject, chosen: RunPlan["host"]): Factors["host"] {
  const { host } = SUBJECTS[subject];
  return host === "chosen" ? chosen : host;
}

/**
 * One subject process for everything that resets single objects, and one for each kind and number of process resets:
 * the trials of one process die together, so they must want to die equally often, and at the same time. A subject that is a server has
 * processes of its own.
 */
export function slotOf(
  factors: Pick<Factors, "subject" | "reset" | "resets" | "target" | "deferredS">,
): string {
  const ends = plannedResets(factors).filter((reset) => endsProcess(factors, reset));
  const when = factors.deferredS === undefined ? "" : `-${factors.deferredS}s`;
  const slot = ends[0] === undefined ? "default" : `${ends[0]}-${ends.length}${when}`;
  return subjectTraits(factors.subject).runs === "process" ? `server-${slot}` : slot;
}

/** A command is a process of one trial alone; `index` is the trial's place in the plan. Null for what shares its process. */
function ownSlotOf({ subject }: Factors, index: number): string | null {
  return subjectTraits(subject).runs === "command" ? `command-${index + 1}` : null;
}

type Random = (from: number, to: number) => number;

function randomFrom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  return (from, to) => uniformInt(generator, from, to);
}

/** Fisher and Yates. */
function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random(0, last);
    const [a, b] = [shuffled[last], shuffled[other]] as [T, T];
    shuffled[last] = b;
    shuffled[other] = a;
  }
  return shuffled;
}

function hex(random: Random): string {
  return random(0, 0xff_ff_ff_ff).toString(16).padStart(8, "0");
}
