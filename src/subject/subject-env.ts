/** The subject Worker's bindings, as declared in `wrangler.jsonc`, and what an agent under trial finds beside them. */
import type { LedgerToolOptions } from "../plugin/ledger-tools.ts";
import type { RecordDraft } from "../trace/records.ts";

export type SubjectEnv = {
  readonly HARNESS_SUBJECT: DurableObjectNamespace;
  readonly CANARY_SUBJECT: DurableObjectNamespace;
  readonly ALARM_WITNESS: DurableObjectNamespace;
  readonly LEDGER: Fetcher;
  readonly CONTROLLER: Fetcher;
  /** Runs containers as processes; there is none but on this machine. */
  readonly SUPERVISOR?: Fetcher;
  readonly CF_VERSION_METADATA?: { readonly id: string; readonly tag: string };
  /** Name of this build, set by the local runtime so that a redeploy can be told from a restart. */
  readonly KIT_BUILD?: string;
  /** Shared secret of the kit's Workers. */
  readonly KIT_SECRET?: string;
};

/** An agent is given its trial as it is given any binding: what it may do outside is the trial's business. */
export type TrialEnv = SubjectEnv & {
  readonly TRIAL: {
    readonly trial: string;
    /** Sent with every model request, so that the journal can tell who asked. */
    readonly activation: string;
    /** What the ledger tools need, whatever harness wraps them. */
    readonly ledgerTools: LedgerToolOptions;
    /** Tells the journal what happens inside, once under each name, and waits for nothing. */
    readonly note: (name: string, record: RecordDraft) => void;
  };
};
