/** What a run would do, without doing it: the conditions, their trials, the processes and how long it may take. */
import type { Condition } from "../../experiments/conditions.ts";
import type { Storage } from "../../src/trace/spec.ts";
import { printableData } from "../base/printable.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import { estimateRunMs } from "../run/estimate.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { coverageLines } from "./coverage.ts";
import { choiceLines } from "./host-lines.ts";
import type { Page } from "./page.ts";
import { durationText } from "./progress.ts";
import { storageText } from "./storage-text.ts";

type DryRunOptions = {
  /** Null where the subjects are the user's own. */
  readonly host: HostChoice | null;
  /** The experiment's conditions, of which the plan may have a part. */
  readonly declared: readonly Condition[];
  readonly concurrency: number;
  /** Where the processes would keep what they store; absent where nobody can tell. */
  readonly storage?: Storage;
  readonly json: boolean;
  readonly page: Page;
};

export function renderDryRun(planned: RunPlan, options: DryRunOptions): string {
  const plan = printableData(planned);
  const { host, declared, concurrency, storage, json, page } = options;
  const estimateMs = estimateRunMs(plan.specs, concurrency);
  const slots = [...Map.groupBy(plan.specs, ({ slot }) => slot)].map(([slot, specs]) => ({
    slot,
    trials: specs.length,
    waves: Math.ceil(specs.length / concurrency),
  }));
  if (json)
    return JSON.stringify({ ...plan, slots, estimateMs, ...(storage === undefined ? {} : { storage }) });
  const conditions = [...Map.groupBy(plan.specs, ({ condition }) => condition)];
  const kept = conditions.map(([name, specs]) => {
    const factors = specs[0]?.factors;
    const times = factors?.reset === "none" ? "no reset" : `quiet ${factors?.quietMs} ms`;
    return `  ${name}  ×${specs.length}  ${times}${specs[0]?.canary === true ? "  (canary)" : ""}`;
  });
  return [
    `run ${plan.run} · experiment ${plan.experiment} · seed ${plan.seed} (dry run, nothing is started)`,
    ...coverageLines(plan.specs, declared),
    // What is no subject of the kit's has no OpenCode host that the kit would choose.
    ...(host === null ? [] : choiceLines(host, page)),
    ...setLines(plan),
    "",
    `${conditions.length} conditions, ${plan.specs.length} trials, in the order of their first trial:`,
    ...kept,
    "",
    "Subject processes:",
    ...slots.map(
      ({ slot, trials, waves }) =>
        `  ${slot}: ${trials} trials, at most ${concurrency} at once${waves > 1 ? `, about ${waves} waves` : ""}`,
    ),
    "",
    ...(storage === undefined ? [] : [storageText(storage)]),
    `Estimated duration: ${durationText(estimateMs)}.`,
  ].join("\n");
}

/** Of a run under one set, which may bring another host than the one that is installed. */
function setLines({ specs }: RunPlan): string[] {
  const [name] = new Set(specs.flatMap(({ sets }) => sets?.before ?? []));
  return name === undefined ? [] : [`SDK set: ${name}, in place of what is installed`];
}
