/** Commands for work on the kit itself: they need its checkout, and are not in the package that users install. */
export const KIT_WORK = ["contract", "mutants", "oracle", "golden", "schemas", "bench", "host-sdk"] as const;
export type KitWork = (typeof KIT_WORK)[number];
