/** From the model's argument text to what a tool is given: host contract, sections 4.2 and 9.5. */
import { z } from "zod";
import type { JsonObject } from "../types/messages.ts";
import type { ToolDefinition } from "../types/plugin-types.ts";
import { isStandardSchema } from "./toolset.ts";

const Arguments = z.record(z.string(), z.unknown());

/** No arguments at all are an empty object; anything but an object is unreadable. */
export function parseArguments(raw: string): JsonObject | undefined {
  if (raw.trim() === "") return {};
  try {
    return Arguments.safeParse(JSON.parse(raw)).data;
  } catch {
    return undefined;
  }
}

/** @throws Error beginning `Invalid tool input:`. Plain JSON Schema is not validated (host contract, section 4.2). */
export async function validateInput(tool: ToolDefinition, input: JsonObject): Promise<unknown> {
  if (!isStandardSchema(tool.input)) return input;
  const result = await tool.input["~standard"].validate(input);
  if (result.issues === undefined) return result.value;
  throw new InvalidToolInput(`Invalid tool input: ${result.issues.map((issue) => issue.message).join("; ")}`);
}

export class InvalidToolInput extends Error {
  override readonly name = "InvalidToolInput";
}
