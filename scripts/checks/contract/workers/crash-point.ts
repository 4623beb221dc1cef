/** The point at which the plan lets this activation die, and how often it was passed. */
import type { CrashPoint } from "../bench-protocol.ts";

export class Crash {
  readonly #point: CrashPoint | undefined;
  readonly #abort: () => void;
  #seen = 0;

  constructor(point: CrashPoint | undefined, abort: () => void) {
    this.#point = point;
    this.#abort = abort;
  }

  event(type: string): void {
    if (this.#point !== undefined && "event" in this.#point && this.#point.event === type) this.#pass();
  }

  tool(side: string): void {
    if (this.#point !== undefined && "tool" in this.#point && this.#point.tool === side) this.#pass();
  }

  setup(): void {
    if (this.#point !== undefined && "setup" in this.#point) this.#pass();
  }

  /** For a seam: @throws where the plan lets only the host die. */
  halt(side: string): void {
    if (this.#point !== undefined && "halt" in this.#point && this.#point.halt === side)
      throw new Error("halted by the plan");
  }

  #pass(): void {
    this.#seen += 1;
    if (this.#seen === (this.#point?.nth ?? 1)) this.#abort();
  }
}
