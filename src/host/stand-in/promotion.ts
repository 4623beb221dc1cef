/**
 * Which pending inputs join the work at a boundary: host contract, section 7. Pure.
 *
 * - At an idle boundary: all steers up to the next control item; if there are none, one queued item.
 * - At a step boundary, in the middle of work: steers only, and no control item.
 */
import type { InboxItem } from "../types/inbox-types.ts";

export type Boundary = "idle" | "step";

/** @param pending - In order of admission. A control item is only ever returned alone. */
export function promotable(pending: readonly InboxItem[], boundary: Boundary): InboxItem[] {
  const steers = pending.filter((item) => item.delivery === "steer");
  const control = steers.findIndex(isControl);
  const inputs = control === -1 ? steers : steers.slice(0, control);
  if (inputs.length > 0 || boundary === "step") return inputs;
  const first = steers[0] ?? pending[0];
  return first === undefined ? [] : [first];
}

/** Compactions and moves act on the session instead of being read by the model. */
export function isControl(item: InboxItem): boolean {
  return item.type === "compaction" || item.type === "move";
}
