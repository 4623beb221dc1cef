/**
 * Loaded into wrangler's own process, before it: when wrangler has bundled a Worker and is about to exit, it is asked what the
 * Worker's configuration comes to. Loading wrangler takes more processor time than bundling, and so one process does both.
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESCRIBE_VARIABLE, type Described, DescribeRequest } from "./bundle-protocol.ts";

type Wrangler = typeof import("wrangler");

const request = DescribeRequest.parse(JSON.parse(process.env[DESCRIBE_VARIABLE] ?? "null"));
const [, program = ""] = process.argv;

process.once("exit", (code) => {
  if (code !== 0) return;
  // What runs already is not loaded again.
  const { unstable_getMiniflareWorkerOptions, unstable_readConfig }: Wrangler =
    createRequire(program)(program);
  const { config } = request;
  const { compatibility_date, compatibility_flags, name } = unstable_readConfig({ config });
  const described: Described = {
    name: name ?? null,
    compatibilityDate: compatibility_date ?? null,
    compatibilityFlags: compatibility_flags,
    options: unstable_getMiniflareWorkerOptions(config).workerOptions,
  };
  writeFileSync(request.answer, JSON.stringify(described));
});
