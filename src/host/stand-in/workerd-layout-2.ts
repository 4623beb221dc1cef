/** The stand-in with the tables of layout 2, for SDK sets that name it. */
import type { CreateOptions, HostInterface } from "../types/client-types.ts";
import { createStandIn } from "./create.ts";
import { HOST_IDENTITY as PLAIN } from "./identity.ts";
import { LAYOUT_2 } from "./table-layouts.ts";

export const OpenCodeWorkerd = {
  create: (options: CreateOptions): Promise<HostInterface> => createStandIn(options, { layout: LAYOUT_2 }),
} satisfies typeof import("@opencode/sdk/workerd").OpenCodeWorkerd;

export const HOST_IDENTITY = { ...PLAIN, version: `${PLAIN.version}+${LAYOUT_2.label}` } as const;
