/** Durable Object classes as values: what the kit makes and chooses them by. */
import { DurableObject } from "cloudflare:workers";
import { withHalt } from "./halt.ts";
import { parseObjectName } from "./object-name.ts";
import type { SubjectEnv, TrialEnv } from "./subject-env.ts";

/** A class as somebody wrote it for its surroundings. */
export type AgentClass<Agent> = new (ctx: DurableObjectState, env: TrialEnv) => Agent;

/** A class as the Worker exports it. */
export type ObjectClass = new (ctx: DurableObjectState, env: SubjectEnv) => object;

/**
 * One class for all of `classes`, so that a further one needs no binding and no migration: an object is constructed as the
 * one that its name begins with.
 */
export function chosenByName(classes: Readonly<Record<string, ObjectClass>>): ObjectClass {
  return new Proxy<ObjectClass>(DurableObject as ObjectClass, {
    construct(_, [ctx, env]: [DurableObjectState, SubjectEnv]) {
      const { subject } = parseObjectName(ctx.id);
      const chosen = Object.hasOwn(classes, subject) ? classes[subject] : undefined;
      if (chosen === undefined) throw new Error(`there is no class for subject '${subject}'`);
      return withHalt(ctx, new chosen(ctx, env));
    },
  });
}
