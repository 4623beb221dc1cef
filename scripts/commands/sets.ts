/** The SDK set that an option names. */
import { type SdkSet, sdkSets } from "../../experiments/sdk-sets.ts";
import { UserError } from "../base/user-error.ts";

/** @throws UserError when there is no such set. */
export function setCalled(name: string, option: string): SdkSet {
  const found = sdkSets().find((set) => set.name === name);
  if (found !== undefined) return found;
  const known = sdkSets().map((set) => set.name);
  throw new UserError(`${option}: there is no SDK set '${name}'; the sets: ${known.join(", ")}`);
}
