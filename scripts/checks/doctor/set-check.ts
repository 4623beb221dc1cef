/** Whether an SDK set is ready to run: what of it is installed, and whether its runtime knows its compatibility date. Installs nothing. */
import type { SdkSet } from "../../../experiments/sdk-sets.ts";
import { isInstalled, readySet } from "../../local/ready-set.ts";
import { type Answer, fail, ok, warn } from "./check-result.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** A runtime knows the dates until so long after its release. */
const KNOWN_AFTER_RELEASE_MS = 7 * DAY_MS;

export async function checkSet(set: SdkSet): Promise<Answer> {
  if (!isInstalled(set))
    return warn(
      `${set.name}, which is not installed`,
      `the first run with it installs it, from the registry that npm uses`,
    );
  const { packages, compatibilityDate, host, server } = await readySet(set, "auto", () => undefined);
  const named = [...new Set([...Object.keys(set.packages), "agents", "workerd"])];
  const parts = [
    ...named.map((name) => `${name} ${packages[name] ?? "not installed"}`),
    ...(server === null ? [] : [`OpenCode server ${server.version}`]),
    ...(set.hostLayout === undefined ? [] : [`host ${host.name} ${host.version}`]),
    ...(compatibilityDate === null ? [] : [`compatibility date ${compatibilityDate}`]),
  ];
  const newest = newestDate(packages.workerd);
  return compatibilityDate !== null && newest !== null && compatibilityDate > newest
    ? fail(
        `${set.name}: workerd ${packages.workerd} knows no compatibility date after ${newest}, and the set names ${compatibilityDate}`,
        "name an earlier date in experiments/sdk-sets.ts",
      )
    : ok(`${set.name}: ${parts.join(", ")}`);
}

/** By the release in a version such as 1.20261117.1; null where it tells none. */
export function newestDate(version: string | undefined): string | null {
  const [, year, month, day] = /^\d+\.(\d{4})(\d{2})(\d{2})\./.exec(version ?? "") ?? [];
  if (year === undefined) return null;
  const released = Date.parse(`${year}-${month}-${day}`);
  return new Date(released + KNOWN_AFTER_RELEASE_MS).toISOString().slice(0, 10);
}
