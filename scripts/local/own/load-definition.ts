/** Reads what a user wrote about her own Worker, and says in one sentence what is wrong with it. */
import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { AgentDefinition } from "../../../src/own/agent-definition.ts";
import { TrialDefinition } from "../../../src/own/trial-definition.ts";
import { shownPath } from "../../base/shown-path.ts";
import { UserError } from "../../base/user-error.ts";
import { DEFINERS } from "./definer.ts";

/** What a file on a path exports as its default. @throws UserError where there is no such file, or it cannot be loaded. */
export async function loadFile(path: string): Promise<unknown> {
  const file = resolve(path);
  const shown = shownPath(file);
  if (!existsSync(file)) throw new UserError(`there is no file ${shown}`);
  // Her file may lie where nobody installed the package.
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const file = Object.hasOwn(DEFINERS, specifier) ? DEFINERS[specifier] : undefined;
      return next(file === undefined ? specifier : pathToFileURL(file).href, context);
    },
  });
  try {
    const loaded: unknown = await import(pathToFileURL(file).href);
    const { default: value } = z.looseObject({ default: z.unknown() }).parse(loaded);
    if (value === undefined) throw new UserError(`${shown} has no default export`);
    return value;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const [first] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new UserError(`${shown} cannot be loaded: ${first}`);
  } finally {
    hooks.deregister();
  }
}

/** Whether a file is about a user's own Worker, and no experiment. */
export function isDefinition(value: unknown): boolean {
  return z.looseObject({ client: z.unknown(), object: z.unknown() }).safeParse(value).success;
}

/** Whether a file is about an agent that a command starts. */
export function isAgentDefinition(value: unknown): boolean {
  return z.looseObject({ subject: z.unknown() }).safeParse(value).success;
}

/** @throws UserError with the first thing that is wrong. */
export function parseAgentDefinition(value: unknown, path: string): AgentDefinition {
  return parsedAs(AgentDefinition, value, path);
}

/** @throws UserError with the first thing that is wrong. */
export function parseDefinition(value: unknown, path: string): TrialDefinition {
  const definition = parsedAs(TrialDefinition, value, path);
  const { script, client, quietMs, heartbeatMs, points } = definition;
  const complain = (sentence: string) => {
    throw new UserError(`${shownPath(resolve(path))}: ${sentence}`);
  };
  if (script === undefined && client.later === undefined)
    complain(
      "without a script nothing can be asked of the agent later: say under client.later what a client does then that changes nothing",
    );
  if (quietMs !== undefined && quietMs < heartbeatMs)
    complain(
      `heartbeatMs (${heartbeatMs}) is longer than quietMs (${quietMs}): whether the object wakes by itself could not be seen`,
    );
  if (script === undefined && points.some((point) => point.startsWith("model-") || point === "after-receipt"))
    complain("points around a model's request need a script: without one, no model is asked");
  return definition;
}

function parsedAs<T extends z.ZodType>(shape: T, value: unknown, path: string): z.infer<T> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  throw new UserError(`${shownPath(resolve(path))}: ${place === "" ? "" : `${place}: `}${issue?.message}`);
}
