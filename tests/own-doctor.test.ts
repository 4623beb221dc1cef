/** `doctor` names everything at once that keeps a user's Worker from being tried. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { kit } from "./support/in-process.ts";

const Checks = z.object({
  checks: z.array(
    z.object({ name: z.string(), status: z.string(), found: z.string(), advice: z.string().nullable() }),
  ),
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-doctor-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const WHOLE = {
  name: "hers",
  main: "index.ts",
  compatibility_date: "2026-11-01",
  compatibility_flags: ["nodejs_compat"],
  durable_objects: { bindings: [{ name: "AGENT", class_name: "Hers" }] },
  migrations: [{ tag: "v1", new_sqlite_classes: ["Hers"] }],
};

async function yours(
  wrangler: object,
  config = true,
): Promise<[name: string, status: string, found: string][]> {
  await writeFile(join(folder, "index.ts"), "export class Hers {}\n");
  await writeFile(join(folder, "wrangler.jsonc"), JSON.stringify(wrangler));
  if (config) {
    await rm(join(folder, "recovery.config.ts"), { force: true });
    await rm(join(folder, "recovery.experiment.ts"), { force: true });
    await writeFile(join(folder, "wrangler.jsonc"), JSON.stringify(WHOLE));
    await kit("init", folder);
    await writeFile(join(folder, "wrangler.jsonc"), JSON.stringify(wrangler));
  }
  const { stdout } = await kit("doctor", folder, "--json");
  return Checks.parse(JSON.parse(stdout))
    .checks.filter(({ name }) => name.startsWith("your "))
    .map(({ name, status, found }) => [name, status, found]);
}

it("finds a Worker whole", async () => {
  const found = await yours(WHOLE);
  expect(found.map(([name, status]) => [name, status])).toEqual([
    ["your config", "ok"],
    ["your Worker", "ok"],
    ["your compatibility date", "ok"],
    ["your wrangler", "ok"],
  ]);
});

it("names all that is wrong, not the first of it", async () => {
  const found = await yours({
    ...WHOLE,
    compatibility_flags: [],
    compatibility_date: "2029-01-01",
    migrations: [{ tag: "v1", new_classes: ["Hers"] }],
    services: [{ binding: "BILLING", service: "billing" }],
  });
  const failed = found.filter(([, status]) => status === "fail").map(([, , text]) => text);
  expect(failed).toHaveLength(4);
  expect(failed.join("\n")).toMatch(
    /'BILLING' leads to the Worker 'billing'.*new_classes.*lacks nodejs_compat.*2029-01-01, and workerd/s,
  );
});

it("says how to begin where there is no configuration yet", async () => {
  const found = await yours(WHOLE, false);
  expect(found[0]).toEqual([
    "your config",
    "fail",
    expect.stringContaining("there is no recovery.config.ts"),
  ]);
  expect(found[1]?.[1]).toBe("ok");
});

it("fails for what is wrong in the configuration itself", async () => {
  await writeFile(join(folder, "wrangler.jsonc"), JSON.stringify(WHOLE));
  await writeFile(join(folder, "recovery.config.ts"), "export default { client: {}, object: {} };\n");
  const { code, stdout } = await kit("doctor", join(folder, "recovery.config.ts"));
  expect(code).toBe(4);
  expect(stdout).toMatch(/fail {2}your config .*object.binding/);
});

it("is one sentence where there is nothing of the user's", async () => {
  const { code, stderr } = await kit("doctor", folder);
  expect(code).toBe(2);
  expect(stderr).toContain("has neither a recovery.config.ts nor a wrangler.jsonc");
});
