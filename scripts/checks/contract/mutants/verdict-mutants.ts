/**
 * Whether the kit's verdict shows a broken host: real trials, sound and broken side by side in one run, and the
 * verdicts computed from their traces. Each mutant is tried where it can make a difference; where none can be seen
 * from outside, the reason is given instead.
 */
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadExperiment } from "../../../../experiments/registry.ts";
import { HOST_IDENTITY } from "../../../../src/host/stand-in/identity.ts";
import type { Mutation } from "../../../../src/host/stand-in/mutations.ts";
import { judge } from "../../../../src/reconcile/index.ts";
import { parseTrace } from "../../../../src/trace/file.ts";
import type { TrialSpec } from "../../../../src/trace/spec.ts";
import { chooseHost } from "../../../local/workerd/host-choice.ts";
import { executeRun } from "../../../run/execute.ts";
import { BOUNDS, makePlan } from "../../../run/make-plan.ts";
import { EVERYTHING } from "../../../run/selection.ts";
import { type Reading, readingOf } from "./verdict-reading.ts";

/** Where mutants are tried: an experiment and one of its conditions. */
export const SCENES = {
  "acknowledgement gap": { experiment: "recovery", condition: "opencode/after-commit/abort/append/reissue" },
  "after the answer": { experiment: "recovery", condition: "opencode/after-answer/abort/append/reissue" },
  "beyond the limit": {
    experiment: "exhaustion",
    condition: "opencode/after-commit/abort/append/reissue/resets=11",
  },
} as const;
export type Scene = keyof typeof SCENES;

/** Longest wait for an operation: a mutant may never settle, and the sound host takes far less. */
const OPERATION_MS = 12_000;

/**
 * Longer than the harness's heartbeat of 30 s by what it takes to see whether anything came of the wake: the files are read
 * 3 s before the end, and only a wake that is 5 s old then counts as one in vain.
 */
const QUIET_MS = 42_000;

export const SOUND = "sound";
type Player = Mutation | typeof SOUND;

type Trials = ReadonlyMap<Scene, ReadonlyMap<Player, Reading>>;

/** Runs the sound host and the given mutants, all at once, and judges their traces. */
export async function runTrials(
  cast: Readonly<Record<Scene, readonly Mutation[]>>,
  onNote: (text: string) => void,
): Promise<Trials> {
  const dir = await mkdtemp(join(tmpdir(), "recovery-kit-mutants-"));
  try {
    const players = (Object.keys(SCENES) as Scene[]).flatMap((scene, index) => {
      const both: Player[] = [SOUND, ...cast[scene]];
      return both.map((player) => ({ scene, player, spec: specOf(scene, player, index) }));
    });
    const outcome = await executeRun(
      {
        run: "mutants",
        experiment: "recovery",
        seed: 1,
        host: "stand-in",
        specs: players.map(({ spec }) => spec),
        commandLine: [],
      },
      {
        tracesDir: dir,
        port: null,
        concurrency: players.length,
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onNote,
        host: {
          ...chooseHost("stand-in"),
          version: `${HOST_IDENTITY.version}+mutants`,
          aliases: {
            "@opencode/sdk/workerd": fileURLToPath(new URL("../workers/mutated-workerd.ts", import.meta.url)),
          },
        },
      },
    );
    const readings = new Map<string, Reading>();
    for (const path of outcome.traces) {
      const parsed = parseTrace(await readFile(path, "utf8"), sha256);
      readings.set(parsed.header?.spec.trial ?? path, readingOf(judge(parsed)));
    }
    const trials = new Map<Scene, Map<Player, Reading>>();
    for (const { scene, player, spec } of players) {
      const reading = readings.get(spec.trial);
      if (reading === undefined) throw new Error(`${spec.trial} left no trace`);
      const own = trials.get(scene) ?? new Map<Player, Reading>();
      trials.set(scene, own.set(player, reading));
    }
    return trials;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** One trial of the scene, with the player in its name: workers/mutated-workerd.ts reads it there. */
function specOf(scene: Scene, player: Player, index: number): TrialSpec {
  const { experiment, condition } = SCENES[scene];
  const quietMs = experiment === "recovery" ? QUIET_MS : null;
  const { specs } = makePlan(loadExperiment(experiment), {
    run: player === SOUND ? `${SOUND}-${index}` : `mutant-${player.toLowerCase()}-${index}`,
    seed: 1,
    repeats: 1,
    quietMs,
    settleMs: 500,
    host: "stand-in",
    only: EVERYTHING,
    loadPerSecond: 0,
    commandLine: [],
  });
  const spec = specs.find((candidate) => candidate.condition === condition);
  if (spec === undefined) throw new Error(`${experiment} has no condition ${condition}`);
  return { ...spec, run: "mutants", bounds: { ...BOUNDS, operationMs: OPERATION_MS } };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
