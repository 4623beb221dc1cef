/** What a tool hands back, as the content of its result: host contract, section 4.2. */
import type { ToolContent } from "../types/messages.ts";
import type { ToolResult } from "../types/plugin-types.ts";

/** Empty content becomes the JSON text of `output`; `output` needs a schema (host contract, section 4.2). */
export function contentOf(result: ToolResult, hasOutputSchema: boolean): ToolContent[] {
  if (result.output !== undefined && !hasOutputSchema)
    throw new Error("The tool returned output but declares no output schema");
  const content =
    typeof result.content === "string"
      ? [{ type: "text" as const, text: result.content }]
      : (result.content ?? []);
  const isEmpty = content.length === 0 || (typeof result.content === "string" && result.content === "");
  return isEmpty ? [{ type: "text", text: JSON.stringify(result.output ?? null) }] : content;
}
