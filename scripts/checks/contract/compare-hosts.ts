/**
 * What two hosts did with the same rules, rule by rule. Pure: two runs of the suite in, rows out. Uncertain readings
 * are compared too, but decide nothing.
 */
import type { Observation } from "./notes.ts";
import type { Result, SuiteRun } from "./suite.ts";
import { CHOICES, type Question, UNSEEN } from "./uncertain-choices.ts";

/** `alone`: no other host was put through the rule, so there is nothing to agree with. */
type Agreement = "agree" | "differ" | "not run" | "alone";

export type RuleRow = {
  readonly group: string;
  readonly id: string | null;
  readonly rule: string;
  readonly section: string;
  readonly standIn: Result["outcome"];
  readonly sdk: Result["outcome"] | null;
  readonly agreement: Agreement;
  /** Why a host fails, in a sentence. */
  readonly reasons: { readonly standIn: string | null; readonly sdk: string | null };
};

export type UncertainRow = {
  readonly question: string;
  /** What the stand-in is documented to do. */
  readonly choice: string;
  readonly standIn: string;
  readonly sdk: string | null;
  readonly details: { readonly standIn: string | null; readonly sdk: string | null };
};

export type Comparison = { readonly rules: readonly RuleRow[]; readonly uncertain: readonly UncertainRow[] };

export function compareHosts(standIn: SuiteRun, sdk: SuiteRun | null): Comparison {
  const others = new Map(sdk?.results.map((result) => [result.rule.name, result]));
  // A case that only looks is a rule for the stand-in alone, whose choices are documented.
  const asserted = standIn.results.filter((own) => own.rule.answers === undefined || own.outcome === "fails");
  const rules = asserted.map((own): RuleRow => {
    const other = own.rule.answers === undefined ? (others.get(own.rule.name) ?? null) : null;
    return {
      group: own.group,
      id: own.rule.id ?? null,
      rule: own.rule.name,
      section: own.rule.section,
      standIn: own.outcome,
      sdk: other?.outcome ?? null,
      agreement: agreementOf(own, other),
      reasons: { standIn: own.reason, sdk: other?.reason ?? null },
    };
  });
  return { rules, uncertain: uncertainRows(standIn, sdk) };
}

/** Whether the run as a whole is good: every rule holds on the stand-in, and no rule differs. */
export function isSound({ rules }: Comparison): boolean {
  return rules.every((row) => row.standIn !== "fails" && row.sdk !== "fails");
}

function agreementOf(own: Result, other: Result | null): Agreement {
  if (other === null) return "alone";
  if (own.outcome === "not run" || other.outcome === "not run") return "not run";
  return own.outcome === other.outcome ? "agree" : "differ";
}

function uncertainRows(standIn: SuiteRun, sdk: SuiteRun | null): UncertainRow[] {
  const seen = (Object.keys(CHOICES) as Question[]).map((question): UncertainRow => {
    const ours = observed(standIn, question);
    const theirs = sdk === null ? null : observed(sdk, question);
    return {
      question,
      choice: CHOICES[question],
      standIn: ours.observed,
      sdk: theirs?.observed ?? null,
      details: { standIn: ours.detail, sdk: theirs?.detail ?? null },
    };
  });
  const unseen = Object.entries(UNSEEN).map(([question, { choice, reason }]): UncertainRow => {
    const nothing = `not observed: ${reason}`;
    const sdkToo = sdk === null ? null : nothing;
    return { question, choice, standIn: nothing, sdk: sdkToo, details: { standIn: null, sdk: null } };
  });
  return [...seen, ...unseen];
}

/** What was seen of a question, or why nothing was. */
function observed(run: SuiteRun, question: Question): Pick<Observation, "observed" | "detail"> {
  const seen = run.observations.findLast((observation) => observation.question === question);
  if (seen !== undefined) return seen;
  const reason = run.results.find(({ rule }) => rule.answers === question)?.reason ?? null;
  return { observed: "not observed", detail: reason };
}
