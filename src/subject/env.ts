/** The subject Worker's bindings, as declared in `wrangler.jsonc`. */
export type SubjectEnv = {
  readonly OPENCODE_SUBJECT: DurableObjectNamespace;
  readonly CANARY_REPLAY_SUBJECT: DurableObjectNamespace;
  readonly ALARM_CANARY: DurableObjectNamespace;
  readonly LEDGER: Fetcher;
  readonly CONTROLLER: Fetcher;
  readonly CF_VERSION_METADATA?: { readonly id: string; readonly tag: string };
  /** Shared secret of the kit's Workers. */
  readonly KIT_SECRET?: string;
};
