/** Bundles the Workers before any test starts them, so that test files that start them at the same time find them kept. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleCacheFolder, getBundles } from "../../scripts/local/workerd/get-bundles.ts";
import { chooseHost } from "../../scripts/local/workerd/host-choice.ts";

export default async function bundleOnce(): Promise<void> {
  const workDir = await mkdtemp(join(tmpdir(), "recovery-kit-bundles-"));
  try {
    await getBundles(["subject", "ledger", "controller"], {
      host: chooseHost("stand-in"),
      workDir,
      cacheFolder: bundleCacheFolder(),
    });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
