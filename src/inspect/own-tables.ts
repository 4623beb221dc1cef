/** Tables that owe nothing, in any storage: the kit's own, those of its canary subjects, and those of SQLite and the runtime, deployed or rehearsed. */
import type { Layout } from "./layout.ts";

const kit: Layout = {
  name: "kit",
  owns: (table) => table.startsWith("kit_") || table === "canary_turn",
};

const runtime: Layout = {
  name: "runtime",
  owns: (table) => /^(_cf_|sqlite_|__miniflare_)/i.test(table),
};

export const OWN_LAYOUTS: readonly Layout[] = [kit, runtime];
