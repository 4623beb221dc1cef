/** The subject Worker's bindings, as declared in `wrangler.jsonc`. */
export type SubjectEnv = {
  readonly OPENCODE_SUBJECT: DurableObjectNamespace;
  readonly CANARY_REPLAY_SUBJECT: DurableObjectNamespace;
  readonly CANARY_CLAIM_SUBJECT: DurableObjectNamespace;
  readonly CANARY_SLEEPER_SUBJECT: DurableObjectNamespace;
  readonly CANARY_AMNESIA_SUBJECT: DurableObjectNamespace;
  readonly ALARM_CANARY: DurableObjectNamespace;
  readonly LEDGER: Fetcher;
  readonly CONTROLLER: Fetcher;
  readonly CF_VERSION_METADATA?: { readonly id: string; readonly tag: string };
  /** Name of this build, set by the local runtime so that a redeploy can be told from a restart. */
  readonly KIT_BUILD?: string;
  /** Shared secret of the kit's Workers. */
  readonly KIT_SECRET?: string;
};
