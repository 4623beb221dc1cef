/** What a scenario finds out about one side, in a form in which two sides can be compared. Types only. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * One durable event: its name without the generation's prefix, and what tells it from its like. Or one message of a
 * transcript, named `message <type>`.
 */
export type EventLabel = { readonly name: string; readonly detail: string };

export type Found =
  | { readonly kind: "events"; readonly events: readonly EventLabel[] }
  | { readonly kind: "value"; readonly value: Json };

export type Observation = {
  /** Stable name, `<scenario>.<what>`; known differences refer to it. */
  readonly rule: string;
  readonly sentence: string;
  /** Where the host contract says it. */
  readonly section: string;
  readonly found: Found;
};
