/**
 * Subject slots: which service binding leads to which subject runtime. `default` is the binding that `wrangler.jsonc`
 * declares; the local runtime adds one for each further subject process, because trials whose process is killed must
 * not share it with others.
 */

/** Name of the service binding that leads to the subject runtime of `slot`. */
export function slotBindingName(slot: string): string {
  return slot === "default" ? "SUBJECT" : `SUBJECT_${slot.toUpperCase().replaceAll("-", "_")}`;
}
