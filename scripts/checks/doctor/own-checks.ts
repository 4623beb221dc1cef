/** What a user's own Worker lacks to be tried: everything at once, where a run would end at the first. Bundles and starts nothing. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { packageFolder } from "../../base/repository.ts";
import { shownPath } from "../../base/shown-path.ts";
import { UserError } from "../../base/user-error.ts";
import {
  isAgentDefinition,
  isDefinition,
  loadFile,
  parseAgentDefinition,
  parseDefinition,
} from "../../local/own/load-definition.ts";
import { examineOwnConfig, ownBindings, ownCompatibilityDate } from "../../local/own/own-config.ts";
import { installedVersion, packageVersions } from "../../local/workerd/host-choice.ts";
import { type CheckResult, fail, ok } from "./check-result.ts";
import { newestDate } from "./set-check.ts";

const CONFIG = "recovery.config.ts";
const WRANGLER = ["wrangler.jsonc", "wrangler.json"] as const;

/**
 * Of a `recovery.config.ts`, or of the folder that it or a wrangler file lies in.
 *
 * @throws UserError where there is neither.
 */
export async function checkOwn(path: string): Promise<CheckResult[]> {
  const given = resolve(path);
  if (!existsSync(given)) throw new UserError(`there is no ${shownPath(given)}`);
  const isFolder = statSync(given).isDirectory();
  const config = isFolder ? join(given, CONFIG) : given;
  if (existsSync(config)) return checkDefinition(config);
  const wrangler = WRANGLER.map((name) => join(given, name)).find((file) => existsSync(file));
  if (wrangler === undefined)
    throw new UserError(`${shownPath(given)} has neither a ${CONFIG} nor a ${WRANGLER[0]}`);
  const first: CheckResult = {
    name: "your config",
    ...fail(`there is no ${CONFIG} in ${shownPath(given)}`, `'npm run kit -- init' writes one`),
  };
  return [first, ...checkWorker(wrangler, null)];
}

async function checkDefinition(path: string): Promise<CheckResult[]> {
  const name = "your config";
  try {
    const value = await loadFile(path);
    if (isAgentDefinition(value)) {
      parseAgentDefinition(value, path);
      return [{ name, ...ok(`${shownPath(path)}: an agent that a command starts`) }];
    }
    if (!isDefinition(value))
      return [{ name, ...ok(`${shownPath(path)}: an experiment on the kit's own subjects`) }];
    const { object, wrangler, destinations } = parseDefinition(value, path);
    const rules = `${destinations.length} ${destinations.length === 1 ? "destination" : "destinations"}`;
    return [
      { name, ...ok(`${shownPath(path)}: binding ${object.binding}, ${rules}`) },
      ...checkWorker(resolve(dirname(path), wrangler), object.binding),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ name, ...fail(error.message, "change the file; docs/own-agent.md has its fields") }];
  }
}

/** `binding`: null for every one that there is. */
function checkWorker(wrangler: string, binding: string | null): CheckResult[] {
  try {
    const bindings = binding === null ? ownBindings(wrangler).map(({ name }) => name) : [binding];
    const complaints = bindings.flatMap((one) => examineOwnConfig(wrangler, one).complaints);
    if (bindings.length === 0)
      complaints.push("it binds no Durable Object (durable_objects.bindings), so there is nothing to lose");
    const shown = shownPath(wrangler);
    return [
      ...[...new Set(complaints)].map((found) => ({
        name: "your Worker",
        ...fail(found, `change ${shown}`),
      })),
      ...(complaints.length > 0 ? [] : [{ name: "your Worker", ...ok(`${shown}: ${bindings.join(", ")}`) }]),
      checkDate(wrangler),
      checkWrangler(dirname(wrangler)),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ name: "your Worker", ...fail(error.message, "change the file that is named") }];
  }
}

function checkDate(wrangler: string): CheckResult {
  const date = ownCompatibilityDate(wrangler);
  const { workerd } = packageVersions();
  const newest = newestDate(workerd);
  const name = "your compatibility date";
  if (newest === null || date <= newest) return { name, ...ok(`${date}, which workerd ${workerd} knows`) };
  return {
    name,
    ...fail(
      `${date}, and workerd ${workerd} knows none after ${newest}`,
      `set an earlier compatibility_date in ${shownPath(wrangler)}, or install a newer wrangler`,
    ),
  };
}

function checkWrangler(folder: string): CheckResult {
  const name = "your wrangler";
  const own = packageFolder("wrangler", folder);
  if (own !== null) return { name, ...ok(`${installedVersion("wrangler", folder)}`) };
  const kits = installedVersion("wrangler");
  if (kits !== null)
    return { name, ...ok(`none in ${shownPath(folder)}: the kit's ${kits} bundles your Worker`) };
  return { name, ...fail("not installed", "npm install --save-dev wrangler") };
}
