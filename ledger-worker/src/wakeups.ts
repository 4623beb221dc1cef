/**
 * Wakes long-polls when the journal grew or was closed. Nobody polls: a wait ends by a wake-up or by its bound.
 */
export class Wakeups {
  readonly #sleepers = new Set<() => void>();

  wakeAll(): void {
    for (const wake of [...this.#sleepers]) wake();
  }

  /** Resolves on the next wake-up, or when `timeoutMs` have passed, or when `signal` is aborted. */
  async sleep(timeoutMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      signal.addEventListener("abort", wake);
      this.#sleepers.add(wake);
      if (signal.aborted) wake();
    });
  }
}
