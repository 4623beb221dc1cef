import type { SubjectTraits } from "../subject-traits.ts";

/** All canaries alike: what each breaks is in its class. Their one table is among the kit's own. */
export const canary = {
  runs: "object",
  host: "none",
  canary: true,
  onDemand: false,
  variantOf: null,
  layouts: [],
} as const satisfies SubjectTraits;
