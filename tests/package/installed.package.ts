/** A stranger's way: a fresh folder, the packed tarball, her Worker, and the answer to "is my tool safe?". */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { REPOSITORY } from "../../scripts/base/repository.ts";

const run = promisify(execFile);
const EXAMPLE = join(REPOSITORY, "examples/agent-scheduled-call");

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

let folder: string;
/** `npx recovery-kit …` in her folder, without the Node that the checkout's npm put first. */
async function kit(...args: string[]): Promise<Ended> {
  const path = (process.env.PATH ?? "").split(":").filter((one) => !one.startsWith(REPOSITORY));
  try {
    const env = { ...process.env, PATH: path.join(":") };
    return {
      code: 0,
      ...(await run("npx", ["recovery-kit", ...args], { cwd: folder, env, maxBuffer: 1 << 26 })),
    };
  } catch (error) {
    return error as Ended;
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recovery-kit-package-"));
  await cp(EXAMPLE, folder, {
    recursive: true,
    filter: (path) => !/recovery\.(config|experiment)\.ts$/.test(path),
  });
  await run("npm", ["run", "build", "--silent", "--", "--out", join(folder, ".dist")], { cwd: REPOSITORY });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: join(folder, ".dist") });
  const version = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(folder, ".dist/package.json"), "utf8")));
  await run("npm", ["install", "--save-dev", `./opencode-do-recovery-kit-${version.version}.tgz`], {
    cwd: folder,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("says what is missing, begins a configuration, and finds her Worker whole", async () => {
  expect((await kit("doctor", ".")).stdout).toMatch(/fail {2}your config .*there is no recovery\.config\.ts/);
  expect((await kit("init")).code).toBe(0);
  expect((await kit("run", "recovery.experiment.ts", "--dry-run")).code).toBe(0);
  await cp(join(EXAMPLE, "recovery.config.ts"), join(folder, "recovery.config.ts"));
  const doctor = await kit("doctor");
  expect(doctor.stdout).toContain("Ready. Next: npx recovery-kit run recovery.config.ts");
  expect(doctor.code).toBe(0);
});

it("convicts her tool, whose requests carry no key, and says what would have prevented it", async () => {
  const before = await hashOf("src/index.ts");
  const { code, stdout } = await kit("run", "recovery.config.ts");
  expect(stdout).toMatch(/Is the tool of BillingAgent .*safe\?\s+No\./);
  expect(stdout).toContain("a key, at a destination that makes one effect for each key");
  expect(code).toBe(1);
  expect(await hashOf("src/index.ts")).toBe(before);
  expect(existsSync(join(folder, "traces"))).toBe(true);
});

it("passes it at a destination that makes one effect for each key", async () => {
  const { code, stdout } = await kit("run", "recovery.unique.config.ts");
  expect(stdout).toContain("3 trials, 3 valid, 3 as expected");
  expect(code).toBe(0);
});

async function hashOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(join(folder, path)))
    .digest("hex");
}
