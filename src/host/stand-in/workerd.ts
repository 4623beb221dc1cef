/**
 * What the name `@opencode/sdk/workerd` resolves to where the real package is not installed. It is a stand-in: a
 * small host that follows the host contract (see docs/stand-in.md), not OpenCode.
 */
import type { CreateOptions, HostInterface } from "../types/client-types.ts";
import { createStandIn } from "./create.ts";

export const OpenCodeWorkerd = {
  create: (options: CreateOptions): Promise<HostInterface> => createStandIn(options),
} satisfies typeof import("@opencode/sdk/workerd").OpenCodeWorkerd;

export { HOST_IDENTITY } from "./identity.ts";
