/**
 * The tools on offer: host contract, sections 4.2 and 4.4. The catalog belongs to the plugins; each request takes
 * its own snapshot of it.
 */
import type { JsonObject } from "../types/messages.ts";
import type { StandardSchema, ToolDefinition, ToolSchema } from "../types/plugin-types.ts";
import type { ChatTool } from "./chat-completions.ts";
import { isWhollyDenied, type PermissionRule } from "./permissions.ts";

export type Toolset = {
  readonly offered: ReadonlyMap<string, ToolDefinition>;
  /** Known, but hidden in this request. */
  readonly hidden: ReadonlySet<string>;
};

export function effectiveName(tool: ToolDefinition): string {
  const name = tool.options?.namespace === undefined ? tool.name : `${tool.options.namespace}_${tool.name}`;
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * Refuses what the stand-in cannot offer honestly. Without `codemode: false` a tool would be reachable only through
 * the built-in `execute` tool, which does not exist here; offering it by name would be a different experiment.
 */
export function requireOfferable(tool: ToolDefinition): void {
  const name = effectiveName(tool);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new Error(`Invalid tool name ${JSON.stringify(name)}`);
  if (name === "execute") throw new Error('The tool name "execute" is reserved for code mode');
  if (tool.options?.codemode !== false) {
    throw new Error(
      `The stand-in has no code mode: tool "${name}" must set options.codemode to false to be offered`,
    );
  }
}

export function snapshot(catalog: Iterable<ToolDefinition>, rules: readonly PermissionRule[]): Toolset {
  const offered = new Map<string, ToolDefinition>();
  const hidden = new Set<string>();
  for (const tool of catalog) {
    const name = effectiveName(tool);
    if (isWhollyDenied(rules, tool.options?.permission ?? name)) hidden.add(name);
    else offered.set(name, tool);
  }
  return { offered, hidden };
}

export function toChatTools(toolset: Toolset): ChatTool[] {
  return [...toolset.offered].map(([name, tool]) => ({
    type: "function",
    function: { name, description: tool.description, parameters: jsonSchemaOf(tool.input) },
  }));
}

function jsonSchemaOf(schema: ToolSchema): JsonObject {
  if (!isStandardSchema(schema)) return schema;
  const describe = schema["~standard"].jsonSchema;
  if (describe === undefined) throw new Error("A Standard Schema for tool input must offer its JSON Schema");
  return describe.input({ target: "draft-2020-12" });
}

export function isStandardSchema(schema: ToolSchema): schema is StandardSchema {
  return "~standard" in schema;
}
