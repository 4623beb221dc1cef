/**
 * Whether the host may still do anything.
 *
 * - `open`: normal.
 * - `closing`: `close()` was called. Open executions end as `shutdown` (host contract, section 8).
 * - `closed`: every call is refused (host contract, section 2.2).
 * - `halted`: a seam threw in the middle of work. The host then behaves as if its process had died at that
 *   point: it writes nothing more, starts nothing more and answers nothing more.
 */
import { ClientError } from "./host-errors.ts";

class HostHalted extends Error {
  override readonly name = "HostHalted";
}

export class Life {
  #state: "open" | "closing" | "closed" | "halted" = "open";
  readonly #ended = new AbortController();

  /** Aborts when the host is closed or halted; streams and background calls end with it. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  get halted(): boolean {
    return this.#state === "halted";
  }

  get acceptsWork(): boolean {
    return this.#state === "open";
  }

  /** Called at the top of every client call. */
  requireOpen(): void {
    if (this.#state !== "open") throw new ClientError("Transport", "OpenCode host is closed");
  }

  /** Called before anything is written. Closing still writes its settlements; a halted host does not. */
  requireNotHalted(): void {
    if (this.#state === "halted") throw new HostHalted("The host was halted");
  }

  beginClose(): void {
    if (this.#state === "open") this.#state = "closing";
  }

  finishClose(): void {
    if (this.#state !== "halted") this.#state = "closed";
    this.#ended.abort(new ClientError("Transport", "OpenCode host is closed"));
  }

  /** Runs a seam; if it throws, the host is dead from here on. */
  seam(run: () => void): void {
    try {
      run();
    } catch (cause) {
      this.#state = "halted";
      const halted = new HostHalted("A seam halted the host", { cause });
      this.#ended.abort(halted);
      throw halted;
    }
  }
}
