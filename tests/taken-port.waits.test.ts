/** A real workerd on a port that a real listener took after it was picked. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { localFetch } from "../scripts/local/process/local-fetch.ts";
import { startOnPorts } from "../scripts/local/process/ports.ts";
import { bundleCacheFolder, getBundles } from "../scripts/local/workerd/get-bundles.ts";
import { chooseHost } from "../scripts/local/workerd/host-choice.ts";
import { WorkerProcess } from "../scripts/local/workerd/worker-process.ts";

it("a workerd that finds its port taken is started on another one", { timeout: 60_000 }, async () => {
  const dir = await mkdtemp(join(tmpdir(), "recovery-kit-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const { ledger } = await getBundles(["ledger"], {
    host: chooseHost("stand-in"),
    workDir: join(dir, "bundles"),
    cacheFolder: bundleCacheFolder(),
  });
  const taker = createServer();
  onTestFinished(() => void taker.close());
  const tried: number[] = [];
  const port = await startOnPorts(1, null, async ([picked = 0]) => {
    if (tried.push(picked) === 1) await once(taker.listen(picked, "127.0.0.1"), "listening");
    const process = new WorkerProcess({
      secret: "secret-of-this-test",
      build: null,
      persistDir: join(dir, "ledger"),
      onOutput: () => undefined,
      onDied: () => undefined,
      workers: [{ bundle: ledger, port: picked, remote: {} }],
    });
    // Of one that could not start, Miniflare tells the reason once more.
    onTestFinished(() => process.stop().catch(() => undefined));
    await process.start();
    return picked;
  });
  expect(tried).toHaveLength(2);
  expect(port).not.toBe(tried[0]);
  // It is the ledger that listens there: it admits nobody without its secret.
  expect((await localFetch(`http://127.0.0.1:${port}/health`)).status).toBe(401);
});
