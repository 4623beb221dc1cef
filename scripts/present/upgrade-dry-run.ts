/** What an upgrade would do, without doing it: the sets, each condition with its ways, the processes and how long it may take. */
import type { Condition } from "../../experiments/conditions.ts";
import type { SdkSet } from "../../experiments/sdk-sets.ts";
import { wayOf } from "../../src/summarize/upgrade-ways.ts";
import { printableData } from "../base/printable.ts";
import type { HostChoice } from "../local/workerd/host-choice.ts";
import { estimateRunMs } from "../run/estimate.ts";
import type { RunPlan } from "../run/run-plan.ts";
import { coverageLines } from "./coverage.ts";
import { choiceLines } from "./host-lines.ts";
import { howMany } from "./numbers.ts";
import type { Page } from "./page.ts";
import { durationText } from "./progress.ts";
import { wrap } from "./wrap.ts";

type UpgradeDryRun = {
  readonly sets: readonly { readonly set: SdkSet; readonly installed: boolean }[];
  readonly host: HostChoice;
  /** The experiment's conditions, of which the plan has a part. */
  readonly declared: readonly Condition[];
  readonly page: Page;
};

export function renderUpgradeDryRun(planned: RunPlan, { sets, host, declared, page }: UpgradeDryRun): string {
  const plan = printableData(planned);
  const trials = plan.specs.flatMap((spec) => {
    const named = wayOf(spec.condition);
    return named === null ? [] : [{ ...named, spec }];
  });
  const conditions = [...Map.groupBy(trials, ({ condition }) => condition)].map(([name, own]) => {
    const [first] = own;
    const ways = [...new Set(own.map(({ way }) => way))].join(", ");
    const isCanary = first?.spec.canary === true;
    return `  ${name}  quiet ${first?.spec.factors.quietMs ?? "–"} ms  ${isCanary ? `canary, ${ways}` : ways}`;
  });
  // A server is its own host; only what a Worker runs depends on where the OpenCode host comes from.
  const onHost = trials.some(({ spec }) => !spec.canary && spec.factors.host === host.kind);
  const slots = Map.groupBy(plan.specs, ({ slot }) => slot);
  return [
    `run ${plan.run} · ${sets.map(({ set }) => set.name).join(" → ")} · experiment ${plan.experiment} · seed ${plan.seed} (dry run, nothing is started)`,
    ...coverageLines(trials, declared),
    ...sets.flatMap(({ set, installed }) =>
      wrap(
        `${set.name}: ${set.description} ${installed ? "Installed." : "Not installed: the run installs it."}`,
        page.width,
      ),
    ),
    ...(onHost ? choiceLines(host, page) : []),
    "",
    `${howMany(conditions.length, "condition")}, ${howMany(plan.specs.length, "trial")}:`,
    ...conditions,
    "",
    "Subject processes:",
    ...[...slots].map(([slot, own]) => `  ${slot}: ${howMany(own.length, "trial")}`),
    "",
    `Estimated duration: ${durationText(estimateRunMs(plan.specs, plan.specs.length))}, and what has to be installed and bundled first.`,
  ].join("\n");
}
