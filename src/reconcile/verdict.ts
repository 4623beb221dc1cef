/**
 * What the judge says about one trial. Session restored, execution resumed and effects counted are three
 * answers; there is no overall pass.
 *
 * Every axis lists the `seq` numbers of the records that decide it. `unknown` means that the evidence cannot
 * decide. The axes come from their table; what stands around them is measured, not judged.
 */
import { z } from "zod";
import { TrialId } from "../trace/ids.ts";
import { ContainerKind } from "../trace/levels.ts";
import { HostIdentity } from "../trace/spec.ts";
import { Attribution } from "./attribution.ts";
import { type AnyAxis, byAxis } from "./axes/index.ts";
import { CallMismatches, OpenCalls } from "./calls.ts";
import { Finding } from "./finding.ts";
import { Law } from "./law.ts";
import { ListedResets } from "./listed-resets.ts";
import { Timings } from "./timings.ts";
import { Transcript } from "./transcript.ts";
import { Usage } from "./usage.ts";

export const VERDICT_SCHEMA = "opencode-do-recovery-kit/verdict/3";

type AxisShape = { [A in AnyAxis as A["name"]]: A["schema"] };

export const Verdict = z.strictObject({
  schema: z.literal(VERDICT_SCHEMA),
  trial: TrialId.nullable(),
  condition: z.string().nullable(),
  host: HostIdentity.nullable(),
  /** What stood for the container of the executor; absent where the object does the work itself. */
  container: ContainerKind.optional(),
  /** `valid`: the fault was delivered and the evidence is whole. */
  validity: z.strictObject({
    value: z.enum(["valid", "invalid"]),
    reasons: z.array(Finding),
  }),
  resets: ListedResets,
  ...byAxis<AxisShape>(({ schema }) => schema),
  callMismatches: CallMismatches,
  openCalls: OpenCalls,
  openAttempts: z.array(z.number().int().min(1)),
  attribution: Attribution,
  timings: Timings,
  usage: Usage.nullable(),
  transcript: Transcript,
  law: Law,
  findings: z.array(Finding),
});
export type Verdict = z.infer<typeof Verdict>;
