/** The SDK sets that the trials of a run name: loaded once each, handed to the slots, and written into each trial's environment. */
import { type SdkSet, sdkSets } from "../../experiments/sdk-sets.ts";
import { subjectTraits } from "../../src/harnesses/index.ts";
import type { Environment, TrialSpec } from "../../src/trace/spec.ts";
import { UserError } from "../base/user-error.ts";
import type { LocalRuntime, SetPair } from "../local/local-runtime.ts";
import { type ReadySet, readySet } from "../local/ready-set.ts";
import { SERVER_VERSION } from "../local/server/version.ts";
import type { HostOption } from "../local/workerd/host-choice.ts";
import { setUsed, underSets } from "./environment.ts";
import type { Runtime } from "./runtime.ts";

const PINNED = { version: SERVER_VERSION, core: "runs" } as const;

export class SetsOfRun {
  readonly #loaded: ReadonlyMap<string, ReadySet>;
  /** What each slot runs; none of those that run what is installed. */
  readonly bySlot: ReadonlyMap<string, SetPair>;

  private constructor(specs: readonly TrialSpec[], loaded: ReadonlyMap<string, ReadySet>) {
    this.#loaded = loaded;
    this.bySlot = new Map(
      specs.flatMap(({ slot, sets }) =>
        sets === undefined ? [] : [[slot, { before: this.#set(sets.before), after: this.#set(sets.after) }]],
      ),
    );
  }

  /** @throws UserError when a set is not declared, or cannot be installed. */
  static async load(
    specs: readonly TrialSpec[],
    given: readonly SdkSet[],
    host: HostOption,
    onProgress: (sentence: string) => void,
  ): Promise<SetsOfRun> {
    const names = new Set(specs.flatMap(({ sets }) => (sets === undefined ? [] : [sets.before, sets.after])));
    const onServer = new Set(
      specs.flatMap(({ sets, factors }) =>
        sets !== undefined && subjectTraits(factors.subject).runs === "process"
          ? [sets.before, sets.after]
          : [],
      ),
    );
    const known = names.size === 0 ? [] : [...given, ...sdkSets()];
    const loaded = new Map<string, ReadySet>();
    for (const name of names) {
      const set = known.find((one) => one.name === name);
      if (set === undefined)
        throw new UserError(`there is no SDK set '${name}'; the sets: npm run upgrade -- --list`);
      // What a set does not name is as the kit has it, the server of a subject that is one included.
      const { server = onServer.has(name) ? PINNED : undefined } = set;
      loaded.set(name, await readySet({ ...set, server }, host, onProgress));
    }
    return new SetsOfRun(specs, loaded);
  }

  /** The environment of one trial. */
  environmentOf({ sets }: TrialSpec, environment: Environment, runtime: Runtime): Environment {
    if (sets === undefined) return environment;
    const used = (name: string) => {
      const bundle = (runtime as LocalRuntime).setBundles.get(name);
      if (bundle === undefined) throw new Error(`SDK set '${name}' was not bundled`);
      return setUsed(this.#set(name), bundle);
    };
    const worker = runtime.bundles.get("subject")?.name ?? "";
    return underSets(environment, used(sets.before), used(sets.after), worker);
  }

  #set(name: string): ReadySet {
    const set = this.#loaded.get(name);
    if (set === undefined) throw new Error(`SDK set '${name}' was not loaded`);
    return set;
  }
}
