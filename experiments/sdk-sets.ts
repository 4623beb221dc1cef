/**
 * Named lists of what a subject runs on, for `upgrade`: packages, table layout of the stand-in, compatibility date, OpenCode
 * server. What a set does not name is as the kit has it installed; `current` names nothing.
 *
 * Leaves to others: installing a set (scripts/local/workerd/load-set.ts), and which pairs make sense together
 * (docs/upgrades.md).
 */
import { z } from "zod";
import { SetName } from "../src/trace/spec.ts";

/** Packages that a set may name. The lab, the judge and the bundler's output stay the kit's own. */
export const SET_PACKAGES = [
  "agents",
  "ai",
  "@ai-sdk/openai-compatible",
  "@opencode/sdk",
  "@opencode/plugin",
  "wrangler",
  "miniflare",
  "zod",
] as const;
export const SetPackage = z.enum(SET_PACKAGES);
export type SetPackage = z.infer<typeof SetPackage>;

export const SdkSet = z
  .strictObject({
    name: SetName,
    description: z.string().min(1).max(300),
    /** A version, or the path of a tarball or a folder, by package. */
    packages: z.partialRecord(SetPackage, z.string().min(1).max(500)).default({}),
    /** Of the subject Worker; one that the workerd of the set knows. */
    compatibilityDate: z.iso.date().optional(),
    /** The OpenCode server that server subjects run; only such conditions are run with a set that names one. */
    server: z
      .strictObject({
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        /**
         * What its `/api` core does: it takes no session, it accepts prompts and never runs them, or it runs them. A condition
         * whose point the core of either set cannot come to is left out, and said to be.
         */
        core: z.enum(["absent", "accepts", "runs"]),
      })
      .optional(),
    /** How the stand-in lays out its tables; the set then runs on the stand-in, whatever is installed. */
    hostLayout: z.enum(["1", "2", "old"]).optional(),
  })
  .readonly();
export type SdkSet = z.infer<typeof SdkSet>;

/** A set that comes with a runtime has to name a date that this runtime knows: its release and seven days. */
const SETS: readonly z.input<typeof SdkSet>[] = [
  { name: "current", description: "What the kit has installed." },
  {
    name: "stand-in-layout-1",
    description: "The stand-in host with the tables that it has by default.",
    hostLayout: "1",
  },
  {
    name: "stand-in-layout-2",
    description: "The stand-in host after a migration that gives the claim its other published name.",
    hostLayout: "2",
  },
  {
    name: "stand-in-layout-unreadable",
    description: "The stand-in host with tables of before any migration, which no other layout can read.",
    hostLayout: "old",
  },
  {
    name: "workerd-20261012",
    description: "The runtime of October 2026, with a compatibility date that it knows.",
    packages: { wrangler: "4.151.0", miniflare: "5.20261012.0-beta" },
    compatibilityDate: "2026-10-12",
  },
  {
    name: "workerd-20261117",
    description: "The runtime of November 2026 under the same date, so that the runtime alone differs.",
    packages: { wrangler: "4.164.0", miniflare: "5.20261117.0-beta" },
    compatibilityDate: "2026-10-12",
  },
  {
    name: "date-2026-09-30",
    description: "The last compatibility date before pending I/O keeps an object alive.",
    compatibilityDate: "2026-09-30",
  },
  {
    name: "date-2026-11-01",
    description: "A compatibility date after that change.",
    compatibilityDate: "2026-11-01",
  },
  {
    name: "opencode-server-1.15.13",
    description: "An OpenCode server with the older API alone, and the migrations of another system.",
    server: { version: "1.15.13", core: "absent" },
  },
  {
    name: "opencode-server-1.17.9",
    description: "The last measured server whose core accepts prompts, logs them and never runs them.",
    server: { version: "1.17.9", core: "accepts" },
  },
  {
    name: "opencode-server-1.18.22",
    description: "An OpenCode server with the tables and events of 1.18.33.",
    server: { version: "1.18.22", core: "runs" },
  },
  {
    name: "opencode-server-1.18.33",
    description: "The OpenCode server that the kit runs where no set names another.",
    server: { version: "1.18.33", core: "runs" },
  },
];

/** @throws when the table above does not hold. */
export function sdkSets(): readonly SdkSet[] {
  return SETS.map((set) => SdkSet.parse(set));
}
