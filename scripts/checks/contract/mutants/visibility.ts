/**
 * Where each broken rule shows in a verdict, or why it does not. Compared with real trials by `npm run test:mutants`;
 * what no longer matches, in either direction, fails there.
 */
import type { Mutation } from "../../../../src/host/stand-in/mutations.ts";
import type { Scene } from "./verdict-mutants.ts";
import { type Change, changesOf, type Reading } from "./verdict-reading.ts";

type Visibility =
  /** In this scene, this axis of the verdict must come out so, and must come out otherwise on the sound host. */
  | { readonly scene: Scene; readonly axis: string; readonly value: string }
  /** In this scene, where it would show first, the verdict must be the sound host's. */
  | { readonly scene: Scene; readonly hidden: string };

export const VISIBILITY: Record<Mutation, Visibility> = {
  reexecuteToolOnBoot: { scene: "acknowledgement gap", axis: "repeat", value: "runtime-replay" },
  claimNotWritten: { scene: "acknowledgement gap", axis: "execution", value: "not-resumed" },
  // Sound, a settled turn is left alone; with its claim still set it is resumed, and the model asked once more.
  claimNeverReleased: { scene: "after the answer", axis: "model calls", value: "3" },
  // It wakes for what is owed and does nothing of it, as the files show before a client comes.
  noBootSweep: { scene: "acknowledgement gap", axis: "stuck", value: "yes" },
  staleToolLeftRunning: { scene: "acknowledgement gap", axis: "open calls", value: "1" },
  resultAndCallInOneTransaction: {
    scene: "acknowledgement gap",
    hidden:
      "the log has the call as one being written, which is settled in the same way; only a cut between " +
      "tool.called and its result tells them apart, which the contract suite makes",
  },
  counterNeverIncremented: { scene: "beyond the limit", axis: "execution", value: "resumed" },
  logSeqGap: { scene: "acknowledgement gap", axis: "validity", value: "invalid, recorder-gap" },
  // The caller submits its operation again with the same id.
  promptNotIdempotent: { scene: "after the answer", axis: "effects", value: "2" },
  sessionTableLost: { scene: "acknowledgement gap", axis: "session", value: "lost" },
};

export type Seen = {
  readonly mutation: Mutation;
  readonly visibility: Visibility;
  readonly changes: readonly Change[];
  /** Whether the trials say what is listed above. */
  readonly asListed: boolean;
};

export function compareWithSound(mutation: Mutation, sound: Reading, broken: Reading): Seen {
  const visibility = VISIBILITY[mutation];
  const changes = changesOf(sound, broken);
  const asListed =
    "hidden" in visibility
      ? changes.length === 0
      : changes.some(({ axis, broken: value }) => axis === visibility.axis && value === visibility.value);
  return { mutation, visibility, changes, asListed };
}
