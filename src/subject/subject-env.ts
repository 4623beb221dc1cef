/** The subject Worker's bindings, as declared in `wrangler.jsonc`. Those of the subjects are found by name (registry.ts). */
export type SubjectEnv = {
  readonly ALARM_CANARY: DurableObjectNamespace;
  readonly LEDGER: Fetcher;
  readonly CONTROLLER: Fetcher;
  readonly CF_VERSION_METADATA?: { readonly id: string; readonly tag: string };
  /** Name of this build, set by the local runtime so that a redeploy can be told from a restart. */
  readonly KIT_BUILD?: string;
  /** Shared secret of the kit's Workers. */
  readonly KIT_SECRET?: string;
};
