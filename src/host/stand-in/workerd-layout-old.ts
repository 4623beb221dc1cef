/** The stand-in with the tables of before any migration, for SDK sets that name it: what it leaves, no later layout can read. */
import type { CreateOptions, HostInterface } from "../types/client-types.ts";
import { createStandIn } from "./create.ts";
import { HOST_IDENTITY as PLAIN } from "./identity.ts";
import { LAYOUT_OLD } from "./table-layouts.ts";

export const OpenCodeWorkerd = {
  create: (options: CreateOptions): Promise<HostInterface> => createStandIn(options, { layout: LAYOUT_OLD }),
} satisfies typeof import("@opencode/sdk/workerd").OpenCodeWorkerd;

export const HOST_IDENTITY = { ...PLAIN, version: `${PLAIN.version}+${LAYOUT_OLD.label}` } as const;
