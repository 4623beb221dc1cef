/** What goes into a golden set: one trace of each condition of a stored run, or the known cases of the judge. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { FURTHER_CASES } from "../../../src/reconcile/cases/further-traces.ts";
import { CASES } from "../../../src/reconcile/cases/traces.ts";
import { type Way, wayOf } from "../../../src/summarize/upgrade-ways.ts";
import { byCodeUnit } from "../../../src/trace/by-code-unit.ts";
import type { Environment, HostIdentity } from "../../../src/trace/spec.ts";
import { UserError } from "../../base/user-error.ts";
import { type JudgedRun, judgePath } from "../../stored/judge-run.ts";
import type { JudgedTrial } from "../../stored/judge-trace.ts";
import type { NamedTrace } from "./golden-set.ts";

export const CASES_SET = "cases";

/**
 * The first trace of each condition, a valid one where there is one, and the set's name by what the first run ran on.
 * Of a condition that several of the runs have, the earlier run's is taken; agents of users are told apart by their class.
 */
export async function takeRuns(folders: readonly string[]): Promise<{ set: string; traces: NamedTrace[] }> {
  const runs = await Promise.all(folders.map((path) => judgePath(path)));
  const [first] = runs;
  const chosen = new Map<string, NamedTrace>();
  for (const { trials } of runs)
    for (const [condition, own] of Map.groupBy(trials, conditionOf)) {
      const trial = chooseOf(own);
      if (condition === null || trial === undefined || chosen.has(condition)) continue;
      chosen.set(condition, { name: fileName(condition), text: readFileSync(trial.path, "utf8") });
    }
  if (first === undefined || chosen.size === 0)
    throw new UserError(`no readable trace in ${folders.join(", ")}`);
  return { set: setName(first), traces: [...chosen.values()].sort((a, b) => byCodeUnit(a.name, b.name)) };
}

/** Small invented trials of which the verdict is known. */
export function takeCases(): NamedTrace[] {
  return Object.entries({ ...CASES, ...FURTHER_CASES }).map(([name, build]) => ({
    name: fileName(name),
    text: build().toText((text) => hash("sha256", text, "hex")),
  }));
}

function conditionOf({ spec, environment }: JudgedTrial): string | null {
  if (spec === null) return null;
  return environment?.own === undefined ? spec.condition : `${environment.own.class}/${spec.condition}`;
}

function chooseOf(trials: readonly JudgedTrial[]): JudgedTrial | undefined {
  return trials.find(({ verdict }) => verdict.validity.value === "valid") ?? trials[0];
}

/** For example `agents-0.32.0_opencode-stand-in-0.1.0_workerd-1.20261117.1`, the two sets of an upgrade, or a user's Worker. */
function setName({ host, trials }: JudgedRun): string {
  const crossing = trials.find(
    ({ spec }) => spec?.sets !== undefined && spec.sets.before !== spec.sets.after,
  );
  if (crossing !== undefined) return pairName(trials);
  const environment = trials.find((trial) => trial.environment !== null)?.environment ?? null;
  if (environment?.own !== undefined) return fileName(`own_${environment.own.worker}`);
  return [versionOf("agents", environment), hostName(host), versionOf("workerd", environment)]
    .filter((part) => part !== null)
    .join("_");
}

/** Of an upgrade, what its trials under one set alone say: `upgrade_<from>_<to>`. */
function pairName(trials: readonly JudgedTrial[]): string {
  const under = (way: Way) =>
    trials.find(({ spec }) => spec !== null && wayOf(spec.condition)?.way === way)?.spec?.sets?.before ??
    "unknown";
  return fileName(`upgrade_${under("under-a")}_${under("under-b")}`);
}

function versionOf(name: string, environment: Environment | null): string | null {
  const version = environment?.packages[name];
  return version === undefined ? null : fileName(`${name}-${version}`);
}

function hostName(host: HostIdentity | null): string {
  return fileName(host === null ? "host-unknown" : `${host.name}-${host.version}`);
}

function fileName(text: string): string {
  return text.replaceAll("/", "+").replaceAll(/[^A-Za-z0-9.+_-]+/g, "-");
}
