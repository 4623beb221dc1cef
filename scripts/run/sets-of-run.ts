/** The SDK sets that the trials of a run name: loaded once each, handed to the slots, and written into each trial's environment. */
import { type SdkSet, sdkSets } from "../../experiments/sdk-sets.ts";
import type { Environment, TrialSpec } from "../../src/trace/spec.ts";
import { UserError } from "../base/user-error.ts";
import type { LocalRuntime, SetPair } from "../local/local-runtime.ts";
import type { HostOption } from "../local/workerd/host-choice.ts";
import { type LoadedSet, loadSet } from "../local/workerd/load-set.ts";
import { setUsed, underSets } from "./environment.ts";
import type { Runtime } from "./runtime.ts";

export class SetsOfRun {
  readonly #loaded: ReadonlyMap<string, LoadedSet>;
  /** What each slot runs; none of those that run what is installed. */
  readonly bySlot: ReadonlyMap<string, SetPair>;

  private constructor(specs: readonly TrialSpec[], loaded: ReadonlyMap<string, LoadedSet>) {
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
    const known = names.size === 0 ? [] : [...given, ...sdkSets()];
    const loaded = new Map<string, LoadedSet>();
    for (const name of names) {
      const set = known.find((one) => one.name === name);
      if (set === undefined)
        throw new UserError(`there is no SDK set '${name}'; the sets: npm run upgrade -- --list`);
      loaded.set(name, await loadSet(set, host, onProgress));
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

  #set(name: string): LoadedSet {
    const set = this.#loaded.get(name);
    if (set === undefined) throw new Error(`SDK set '${name}' was not loaded`);
    return set;
  }
}
