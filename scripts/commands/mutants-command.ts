/**
 * `npm run test:mutants`: breaks the stand-in one rule at a time, and shows that the contract suite fails for each and
 * that the kit's verdict differs wherever the breach can be seen from outside.
 */
import type { Mutation } from "../../src/host/stand-in/mutations.ts";
import { Lab } from "../checks/contract/host-lab.ts";
import {
  ALL_MUTATIONS,
  catchMutants,
  OWN_RULE,
  soundFailures,
} from "../checks/contract/mutants/contract-mutants.ts";
import { runTrials, SCENES, type Scene, SOUND } from "../checks/contract/mutants/verdict-mutants.ts";
import { compareWithSound, type Seen, VISIBILITY } from "../checks/contract/mutants/visibility.ts";
import type { Result } from "../checks/contract/suite.ts";
import { pageFor } from "../present/page.ts";
import { wrap } from "../present/wrap.ts";

const HELP = `npm run test:mutants

Breaks one rule of the stand-in at a time: the contract suite must fail, and the verdict must show what can be seen.
Exit code: 0 every mutant is caught and shows as listed, 1 one is not, 2 bad input, 4 the sound host failed or
something could not be run.`;

const progress = (sentence: string) => console.error(sentence);

async function main(): Promise<number> {
  // The lab starts before the trials do: each tells its workerd process by watching what is spawned meanwhile.
  const lab = await Lab.start("stand-in");
  try {
    progress(`${ALL_MUTATIONS.length} mutants: real trials and the contract suite, side by side`);
    const [seen, caught] = await Promise.all([trials(), suite(lab)]);
    const wrong = [
      ...seen.filter(({ asListed }) => !asListed),
      ...ALL_MUTATIONS.filter((name) => !isCaught(name, caught)),
    ];
    const { width } = pageFor(process.stdout);
    console.log("Verdicts of real trials, the sound host's against each mutant's\n");
    for (const one of seen) console.log(describeSeen(one, width));
    console.log("\nThe contract suite\n");
    for (const name of ALL_MUTATIONS) console.log(describeCaught(name, caught.get(name) ?? null));
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await lab.stop();
  }
}

/** @throws when the sound host does not pass: then nothing is proven. */
async function suite(lab: Lab): Promise<ReadonlyMap<Mutation, Result | null>> {
  const failures = await soundFailures(lab);
  if (failures.length > 0)
    throw new Error(
      `the sound host fails: ${failures.map(({ rule, reason }) => `${rule.name}: ${reason}`).join("; ")}`,
    );
  progress("the sound host passes the whole suite");
  const caught = await catchMutants(lab);
  progress("the suite has been through all mutants");
  return caught;
}

/** @throws when a sound trial is invalid: then there is nothing to compare with. */
async function trials(): Promise<readonly Seen[]> {
  const scenes = Object.keys(SCENES) as Scene[];
  const castOf = (scene: Scene) => ALL_MUTATIONS.filter((name) => VISIBILITY[name].scene === scene);
  const cast = Object.fromEntries(scenes.map((scene) => [scene, castOf(scene)])) as Record<Scene, Mutation[]>;
  const readings = await runTrials(cast, progress);
  return ALL_MUTATIONS.map((mutation) => {
    const { scene } = VISIBILITY[mutation];
    const sound = readings.get(scene)?.get(SOUND);
    const broken = readings.get(scene)?.get(mutation);
    if (sound === undefined || broken === undefined) throw new Error(`no trial of ${mutation}`);
    if (sound.validity !== "valid") throw new Error(`the sound trial '${scene}' is ${sound.validity}`);
    return compareWithSound(mutation, sound, broken);
  });
}

function isCaught(name: Mutation, caught: ReadonlyMap<Mutation, Result | null>): boolean {
  return caught.get(name)?.rule.name === OWN_RULE[name];
}

function describeCaught(name: Mutation, result: Result | null): string {
  if (result === null) return `mutant ${name} NOT CAUGHT`;
  const own = result.rule.name === OWN_RULE[name];
  return `mutant ${name} caught by ${result.rule.name}${own ? "" : `, NOT BY ITS OWN RULE: ${OWN_RULE[name]}`}`;
}

function describeSeen({ mutation, visibility, changes, asListed }: Seen, width: number): string {
  const changed = changes.map(({ axis, sound, broken }) => `${axis}: ${sound} → ${broken}`);
  const hidden = "hidden" in visibility ? [`not visible: ${visibility.hidden}`] : [];
  const unlisted = asListed ? [] : [`NOT AS LISTED: ${JSON.stringify(visibility)}`];
  const lines = [...unlisted, ...changed, ...hidden].flatMap((line) => wrap(line, width, "    "));
  return [`${mutation} (${visibility.scene})`, ...lines].join("\n");
}

// workerd goes when the process exits, and only then.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const [argument] = process.argv.slice(2);
if (argument === "--help") console.log(HELP);
else if (argument !== undefined) {
  console.error(`Unknown argument '${argument}'\n${HELP}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error);
    process.exitCode = 4;
  }
}
