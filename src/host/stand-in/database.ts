/**
 * Access to the given storage: host contract, section 11.3.
 *
 * Only `sql.exec` and the asynchronous `transaction` are used. `transactionSync` would look equivalent, but its
 * writes stay in workerd's implicit transaction until the current turn of the event loop ends, so an abort in the
 * same turn takes them back (measured). After `await transaction(…)` they are committed, which is what "one
 * transaction per event" promises.
 */
import { inNamesOf, LAYOUT_1, type TableLayout } from "./table-layouts.ts";

export type Value = string | number | null;

export class Database {
  readonly #storage: DurableObjectStorage;
  readonly #layout: TableLayout;
  #permit: Promise<unknown> = Promise.resolve();

  /** Statements are written in the names of layout 1, and executed in those of `layout`. */
  constructor(storage: DurableObjectStorage, layout: TableLayout = LAYOUT_1) {
    this.#storage = storage;
    this.#layout = layout;
  }

  all<Row extends Record<string, Value>>(query: string, ...bindings: Value[]): Row[] {
    return this.#storage.sql.exec<Row>(inNamesOf(this.#layout, query), ...bindings).toArray();
  }

  first<Row extends Record<string, Value>>(query: string, ...bindings: Value[]): Row | undefined {
    return this.all<Row>(query, ...bindings)[0];
  }

  run(query: string, ...bindings: Value[]): void {
    this.#storage.sql.exec(inNamesOf(this.#layout, query), ...bindings);
  }

  /** A statement that names things as they lie in the storage. */
  runAsWritten(query: string): void {
    this.#storage.sql.exec(query);
  }

  /** One transaction at a time; the body is synchronous, so nothing can slip in between its statements. */
  transaction<T>(body: () => T): Promise<T> {
    const result = this.#permit.then(() => this.#storage.transaction(async () => body()));
    this.#permit = result.catch(() => undefined);
    return result;
  }
}
