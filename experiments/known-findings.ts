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

type OfPair = Omit<KnownFinding, "from" | "to">;

const CORE_ACCEPTED = /^opencode-server-shell\/accepted\/kill\//;

/** 1.17.9's core never begins a prompt, and its next migration empties the tables of the core. */
const CORE_RESET =
  "migration 20260622170816_reset_v2_session_state empties the tables of the /api core: the session stays listed, and its log, messages and accepted prompts are gone";
const CORE_BEGINS = "the core of 1.17.9 accepts a prompt and never begins it; that of 1.18.33 does";

const MIGRATIONS_FORGOTTEN =
  "1.15.13 knows its own list of migrations alone, which the newer database does not have: at every start it makes its tables anew and fails at the first";

/** The old layout finds no claim under its own name, so nobody goes on with the session. */
const CLAIM_RENAMED =
  "layout 1 looks for the claim under the name that it had before the migration, and takes the session for idle";

const KNOWN: readonly KnownFinding[] = [
  ...ofPair("opencode-server-1.17.9", "opencode-server-1.18.33", [
    ...each(["executor", "rebinding", "continuity", "effects", "attribution"], {
      of: "upgrade",
      condition: CORE_ACCEPTED,
      because: CORE_BEGINS,
    }),
    ...each(
      [
        "session",
        "continuity",
        "attribution",
        "sign known-operation-accepted-as-new",
        "sign log-differs-from-look",
        "sign log-cursor-aliased",
      ],
      { of: "inFlight", condition: CORE_ACCEPTED, because: CORE_RESET },
    ),
    ...each(["emptied event", "emptied event_sequence", "emptied session_input", "emptied session_message"], {
      of: "inFlight",
      condition: /^storage of opencode-server(-shell)?$/,
      because: CORE_RESET,
    }),
  ]),
  ...ofPair("opencode-server-1.15.13", "opencode-server-1.18.33", [
    ...each(
      [
        "session",
        "executor",
        "response",
        "told",
        "stuck",
        "rebinding",
        "continuity",
        "effects",
        "repeats",
        "attribution",
      ],
      { of: "back", condition: /^opencode-server\/[^/]+\/kill\//, because: MIGRATIONS_FORGOTTEN },
    ),
    {
      of: "inFlight",
      condition: /^storage of opencode-server$/,
      question: "emptied session_message",
      because: CORE_RESET,
    },
  ]),
  ...ofPair(
    "stand-in-layout-1",
    "stand-in-layout-2",
    each(
      [
        "execution",
        "executor",
        "told",
        "rebinding",
        "continuity",
        "effects",
        "repeats",
        "callMismatches",
        "attribution",
      ],
      { of: "back", condition: /^opencode\/[^/]+\/kill\//, because: CLAIM_RENAMED },
    ),
  ),
];

function ofPair(from: string, to: string, findings: readonly OfPair[]): KnownFinding[] {
  return findings.map((one) => ({ from, to, ...one }));
}

function each(questions: readonly string[], finding: Omit<OfPair, "question">): OfPair[] {
  return questions.map((question) => ({ ...finding, question }));
}

export function knownFindings(from: string, to: string): readonly KnownFinding[] {
  return KNOWN.map((one) => KnownFinding.parse(one)).filter((one) => one.from === from && one.to === to);
}
