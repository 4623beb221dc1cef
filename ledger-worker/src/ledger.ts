/** What the modules of one trial's ledger share: its storage, its journal, and the connections that wait for it. */
import type { AttemptResponse, LedgerConfig } from "../../src/trace/protocol/ledger-protocol.ts";
import type { Connections } from "./connections.ts";
import type { Journal } from "./journal.ts";
import type { Wakeups } from "./wakeups.ts";

/** The trial's only row: `config` is the stored text, `parsed` what it says. */
export type StoredTrial = {
  readonly name: string;
  readonly config: string;
  readonly ended: string | null;
  readonly parsed: LedgerConfig;
};

export type Ledger = {
  readonly sql: SqlStorage;
  readonly journal: Journal;
  /** What is stored and was read before. Forgotten when a transaction is undone. */
  readonly memory: { trial: StoredTrial | undefined };
  /** Runs `change` in one transaction; wakes those who wait for records once it has been committed. */
  readonly transact: <Result>(change: () => Result) => Result;
  /** Callers of attempts that are held, by attempt number. */
  readonly attemptCallers: Connections<AttemptResponse>;
  /** Callers of model requests and streams that are held, by the hold's name. */
  readonly modelCallers: Connections<null>;
  readonly wakeups: Wakeups;
};
