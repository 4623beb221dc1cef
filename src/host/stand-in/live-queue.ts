/**
 * Live events for one slow reader: host contract, sections 3.6 and 5. A reader that falls too far behind fails,
 * instead of holding everything in memory.
 */
import { ClientError } from "./host-errors.ts";

/** One of the two capacities that were seen (host contract, section 15, question 19). */
const CAPACITY = 4096;

export class LiveQueue<T> {
  readonly #items: T[] = [];
  #overflown = false;
  #wake: () => void = () => undefined;

  push(item: T): void {
    if (this.#items.length >= CAPACITY) this.#overflown = true;
    else this.#items.push(item);
    this.#wake();
  }

  /** Ends when the caller's signal aborts; fails when the host ends or the reader was too slow. */
  async *read(caller: AbortSignal | undefined, hostEnded: AbortSignal): AsyncGenerator<T> {
    const wake = () => this.#wake();
    caller?.addEventListener("abort", wake);
    hostEnded.addEventListener("abort", wake);
    try {
      for (;;) {
        if (caller?.aborted) return;
        if (hostEnded.aborted) throw hostEnded.reason;
        const item = this.#items.shift();
        if (item !== undefined) yield item;
        else if (this.#overflown) throw new ClientError("Transport", "The reader fell behind the event feed");
        else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      caller?.removeEventListener("abort", wake);
      hostEnded.removeEventListener("abort", wake);
    }
  }
}
