/** The tests run what would be deployed: same flags, same class, and a bundle that wrangler accepts. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { bundleLedger, COMPATIBILITY } from "./support/ledger-lab.ts";

const file = fileURLToPath(new URL("../wrangler.jsonc", import.meta.url));
const deployed = unstable_readConfig({ config: file });

it("tests with the compatibility settings of wrangler.jsonc", () => {
  expect({
    compatibilityDate: deployed.compatibility_date,
    compatibilityFlags: deployed.compatibility_flags,
  }).toEqual(COMPATIBILITY);
});

it("deploys its SQLite classes without a public address and without a secret in the file", () => {
  expect(deployed.name).toBe("recovery-kit-ledger");
  expect(deployed.workers_dev).toBe(false);
  expect(deployed.durable_objects.bindings).toMatchObject([
    { name: "TRIAL_LEDGER", class_name: "TrialLedger" },
    { name: "RUNNER_BOARD", class_name: "RunnerBoard" },
  ]);
  expect(deployed.migrations).toMatchObject([
    { tag: "v1", new_sqlite_classes: ["TrialLedger"] },
    { tag: "v2", new_sqlite_classes: ["RunnerBoard"] },
  ]);
  expect(deployed.vars).toEqual({});
  expect(readFileSync(file, "utf8")).not.toMatch(/"KIT_SECRET"/);
});

it("bundles nothing of the subject, the controller or the model", async () => {
  const modules = [...(await bundleLedger()).matchAll(/^\/\/ (.*\.ts)$/gm)].map((match) => match[1]!);
  const own = modules.filter((path) => !path.includes("node_modules/"));
  expect(own.length).toBeGreaterThan(0);
  const foreign = own.filter(
    (path) => !path.startsWith("ledger-worker/src/") && !path.startsWith("src/trace/"),
  );
  // A module may be named more than once in a bundle.
  expect([...new Set(foreign)]).toEqual(["src/link/admission.ts"]);
});
