/**
 * The process that bundles: it takes one request from whoever started it, answers, and is over. It ends with its
 * parent, however that ends, and takes the bundler that it started with it.
 */
import { type BundleAnswer, BundleRequest } from "./bundle-protocol.ts";
import { makeBundle } from "./make-bundle.ts";

const over = new AbortController();

function end(): void {
  over.abort();
  process.exit();
}
for (const reason of ["disconnect", "SIGTERM", "SIGINT", "SIGHUP"]) process.once(reason, end);
// The parent was gone before anything here listened.
if (!process.connected) end();

process.once("message", async (message) => {
  process.send?.(await answerTo(BundleRequest.parse(message)), undefined, {}, end);
});

async function answerTo({ roles, ...options }: BundleRequest): Promise<BundleAnswer> {
  try {
    const made = roles.map((role) => makeBundle(role, { ...options, signal: over.signal }));
    return { made: await Promise.all(made) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
