/**
 * Ambient shapes of the two OpenCode packages, so that the kit and `agents` type-check where neither is
 * installed. Only what the kit and `agents/harness/opencode` use is declared (host contract, sections 2 to 4).
 */

declare module "@opencode/sdk/workerd" {
  export namespace OpenCodeWorkerd {
    type Interface = import("./client-types.ts").HostInterface;
    type CreateOptions = import("./client-types.ts").CreateOptions;
    function create(options: CreateOptions): Promise<Interface>;
  }
}

declare module "@opencode/plugin" {
  export namespace Plugin {
    type Plugin = import("./plugin-types.ts").PluginDefinition;
    type Context = import("./plugin-types.ts").PluginContext;
    type ToolContext = import("./plugin-types.ts").ToolContext;
    type ToolDefinition = import("./plugin-types.ts").ToolDefinition;
    type ToolResult = import("./plugin-types.ts").ToolResult;
    function define(definition: Plugin): Plugin;
  }
}
