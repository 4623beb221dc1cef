/**
 * The axes of a verdict, in the order in which it lists them. A new axis is a file of its own and one line here: verdict,
 * expectation, rows, summary and comparison go through this table.
 */
import type { z } from "zod";
import { autonomous } from "./autonomous.ts";
import { continuity } from "./continuity.ts";
import { declared } from "./declared.ts";
import { drill } from "./drill.ts";
import { effects } from "./effects.ts";
import { execution } from "./execution.ts";
import { executor } from "./executor.ts";
import { freshStart } from "./fresh-start.ts";
import { idleHost } from "./idle-host.ts";
import { rebinding } from "./rebinding.ts";
import { references } from "./references.ts";
import { repeats } from "./repeats.ts";
import { replacement } from "./replacement.ts";
import { response } from "./response.ts";
import { responseExecutor } from "./response-executor.ts";
import { session } from "./session.ts";
import { singleFlight } from "./single-flight.ts";
import { stuck } from "./stuck.ts";
import { told } from "./told.ts";

export const AXES = [
  session,
  execution,
  executor,
  response,
  responseExecutor,
  told,
  autonomous,
  stuck,
  idleHost,
  rebinding,
  replacement,
  singleFlight,
  references,
  continuity,
  declared,
  freshStart,
  drill,
  effects,
  repeats,
] as const;

export type AnyAxis = (typeof AXES)[number];
type AxisName = AnyAxis["name"];

/** The answers of all axes, by name. */
export type Answers = { [A in AnyAxis as A["name"]]: z.infer<A["schema"]> };

/** What several axes bring under keys of their own, as one: a union of objects becomes the object that has all of them. */
export type Merged<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void
  ? I
  : never;

/** One value for each axis, by its name; `of` gives for each axis what `All` has under that name. */
export function byAxis<All extends Record<AxisName, unknown>>(of: (axis: AnyAxis) => All[AxisName]): All {
  return Object.fromEntries(AXES.map((axis) => [axis.name, of(axis)])) as All;
}
