/**
 * What upgrades are known to change, by the pair of sets that it was measured on. A known finding stays a difference, and
 * is shown as known. One that is no longer found, though its condition was measured, is stale: take it out.
 */
import { z } from "zod";
import { SetName } from "../src/trace/spec.ts";

export const KnownFinding = z
  .strictObject({
    from: SetName,
    to: SetName,
    /** All under the second set, in flight, or back. */
    of: z.enum(["upgrade", "inFlight", "back"]),
    /** Of the condition's name, or of `storage of <subject>`. */
    condition: z.instanceof(RegExp),
    /** Key of a question that `compare` asks; of storage `emptied <table>` or `undecodable`. */
    question: z.string(),
    because: z.string(),
  })
  .readonly();
export type KnownFinding = z.infer<typeof KnownFinding>;

const KNOWN: readonly KnownFinding[] = [];

export function knownFindings(from: string, to: string): readonly KnownFinding[] {
  return KNOWN.map((one) => KnownFinding.parse(one)).filter((one) => one.from === from && one.to === to);
}
