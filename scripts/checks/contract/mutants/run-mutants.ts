/**
 * Breaks the stand-in one rule at a time, and looks from two sides: whether the contract suite fails for each, and
 * whether the kit's verdict of a real trial differs wherever the breach can be seen from outside.
 */
import type { Mutation } from "../../../../src/host/stand-in/mutations.ts";
import { Lab } from "../host-lab.ts";
import type { Result } from "../suite.ts";
import { ALL_MUTATIONS, catchMutants, OWN_RULE, soundFailures } from "./contract-mutants.ts";
import { runTrials, SCENES, type Scene, SOUND } from "./verdict-mutants.ts";
import { compareWithSound, type Seen, VISIBILITY } from "./visibility.ts";

export type Caught = {
  readonly mutation: Mutation;
  /** The rule that the mutation was made to break. */
  readonly ownRule: string;
  /** The first rule that failed, or null. */
  readonly failed: string | null;
};

type Mutants = { readonly seen: readonly Seen[]; readonly caught: readonly Caught[] };

/** @throws when the sound host does not pass, or a sound trial is invalid: then nothing is proven. */
export async function runMutants(onProgress: (sentence: string) => void): Promise<Mutants> {
  // The lab starts before the trials do: each tells its workerd process by watching what is spawned meanwhile.
  const lab = await Lab.start("stand-in");
  try {
    onProgress(`${ALL_MUTATIONS.length} mutants: real trials and the contract suite, side by side`);
    const [seen, results] = await Promise.all([trials(onProgress), suite(lab, onProgress)]);
    const caught = ALL_MUTATIONS.map((mutation) => ({
      mutation,
      ownRule: OWN_RULE[mutation],
      failed: results.get(mutation)?.rule.name ?? null,
    }));
    return { seen, caught };
  } finally {
    await lab.stop();
  }
}

async function suite(
  lab: Lab,
  onProgress: (sentence: string) => void,
): Promise<ReadonlyMap<Mutation, Result | null>> {
  const failures = await soundFailures(lab);
  if (failures.length > 0)
    throw new Error(
      `the sound host fails: ${failures.map(({ rule, reason }) => `${rule.name}: ${reason}`).join("; ")}`,
    );
  onProgress("the sound host passes the whole suite");
  const caught = await catchMutants(lab);
  onProgress("the suite has been through all mutants");
  return caught;
}

async function trials(onProgress: (sentence: string) => void): Promise<readonly Seen[]> {
  const scenes = Object.keys(SCENES) as Scene[];
  const castOf = (scene: Scene) => ALL_MUTATIONS.filter((name) => VISIBILITY[name].scene === scene);
  const cast = Object.fromEntries(scenes.map((scene) => [scene, castOf(scene)])) as Record<Scene, Mutation[]>;
  const readings = await runTrials(cast, onProgress);
  return ALL_MUTATIONS.map((mutation) => {
    const { scene } = VISIBILITY[mutation];
    const sound = readings.get(scene)?.get(SOUND);
    const broken = readings.get(scene)?.get(mutation);
    if (sound === undefined || broken === undefined) throw new Error(`no trial of ${mutation}`);
    if (sound.validity !== "valid") throw new Error(`the sound trial '${scene}' is ${sound.validity}`);
    return compareWithSound(mutation, sound, broken);
  });
}
