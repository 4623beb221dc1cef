/**
 * Access to the given storage: host contract, section 11.3.
 *
 * Only `sql.exec` and the asynchronous `transaction` are used. `transactionSync` would look equivalent, but its
 * writes stay in workerd's implicit transaction until the current turn of the event loop ends, so an abort in the
 * same turn takes them back (measured). After `await transaction(…)` they are committed, which is what "one
 * transaction per event" promises.
 */
export type Value = string | number | null;

export class Database {
  readonly #storage: DurableObjectStorage;
  #permit: Promise<unknown> = Promise.resolve();

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  all<Row extends Record<string, Value>>(query: string, ...bindings: Value[]): Row[] {
    return this.#storage.sql.exec<Row>(query, ...bindings).toArray();
  }

  first<Row extends Record<string, Value>>(query: string, ...bindings: Value[]): Row | undefined {
    return this.all<Row>(query, ...bindings)[0];
  }

  run(query: string, ...bindings: Value[]): void {
    this.#storage.sql.exec(query, ...bindings);
  }

  /** One transaction at a time; the body is synchronous, so nothing can slip in between its statements. */
  transaction<T>(body: () => T): Promise<T> {
    const result = this.#permit.then(() => this.#storage.transaction(async () => body()));
    this.#permit = result.catch(() => undefined);
    return result;
  }
}
