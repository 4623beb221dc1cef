/** What the name `@opencode/plugin` resolves to where the real package is not installed (host contract 4.1). */
import type { PluginDefinition } from "../types/plugin-types.ts";

export const Plugin = {
  define: (definition: PluginDefinition): PluginDefinition => definition,
} satisfies typeof import("@opencode/plugin").Plugin;
