/**
 * Open connections of callers that wait for the ledger. This is the only thing that the ledger keeps in memory, and
 * the only thing that an eviction or a restart of the ledger loses.
 *
 * When a caller's disconnect can be seen (measured with workerd 1.20261117.1, compatibility date 2026-11-01, flag
 * `enable_request_signal`, without which nothing is seen; tests/disconnect.test.ts repeats it; not measured deployed):
 * - through a service binding inside one runtime: seen when the caller aborts its own fetch and when the calling
 *   object is reset by `ctx.abort()`;
 * - from an HTTP client: seen when the connection is reset (RST), NOT seen when it is merely closed (FIN), because
 *   workerd takes that for a half-close that still wants its answer;
 * - through an external HTTP service binding from another process: NOT seen, neither when the caller aborts, nor when
 *   its object is reset, nor when its process is killed: the socket is pooled, or closed with FIN.
 * A disconnect that is not seen is not guessed: the receipt stays withheld until its hold is released, dropped or
 * ended by the controller, which knows what it did to the subject. After `proceed` such a caller's `receipt.sent`
 * means only that the ledger handed the receipt to the connection.
 */

import { Refusal } from "../../src/link/admission.ts";

/** How a wait ends for the one who waits: with an answer, or with an error to throw. */
export type Outcome<Answer> = { readonly answer: Answer } | { readonly error: Error };

type Settle<Answer> = (outcome: Outcome<Answer>) => void;

export class Connections<Answer> {
  readonly #open = new Map<string, Set<Settle<Answer>>>();

  /** Waits until `name` is settled. `onGone` is called if the caller is seen to disconnect before. */
  async wait(name: string, signal: AbortSignal, onGone: () => void): Promise<Answer> {
    const outcome = await new Promise<Outcome<Answer>>((resolve) => {
      const settle: Settle<Answer> = (settled) => {
        this.#remove(name, settle);
        signal.removeEventListener("abort", onAbort);
        resolve(settled);
      };
      const onAbort = (): void => {
        settle({ error: new Refusal("caller-gone", "The caller closed the connection.") });
        onGone();
      };
      this.#add(name, settle);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    });
    if ("error" in outcome) throw outcome.error;
    return outcome.answer;
  }

  /** Whether somebody waits for `name` whose disconnect was not seen. */
  has(name: string): boolean {
    return this.#open.has(name);
  }

  settle(name: string, outcome: Outcome<Answer>): void {
    for (const settle of [...(this.#open.get(name) ?? [])]) settle(outcome);
  }

  settleAll(outcome: Outcome<Answer>): void {
    for (const name of [...this.#open.keys()]) this.settle(name, outcome);
  }

  #add(name: string, settle: Settle<Answer>): void {
    const settlers = this.#open.get(name);
    if (settlers === undefined) this.#open.set(name, new Set([settle]));
    else settlers.add(settle);
  }

  #remove(name: string, settle: Settle<Answer>): void {
    const settlers = this.#open.get(name);
    settlers?.delete(settle);
    if (settlers?.size === 0) this.#open.delete(name);
  }
}
