/**
 * Executions: host contract, section 8. At most one per session and process; nothing of it outlives the process but
 * the claim and the events.
 */
import type { SessionError } from "../types/messages.ts";
import { abortable } from "./abortable.ts";
import { drain, ExecutionFailed } from "./drain.ts";
import { isControl } from "./promotion.ts";
import type { Host } from "./stand-in-host.ts";

type StopReason = "user" | "shutdown";

class Stopped extends Error {
  override readonly name = "Stopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`Execution stopped: ${reason}`);
    this.reason = reason;
  }
}

type Running = {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  /** A wake that arrived while the execution ran. */
  doorbell: boolean;
  /** At least one step is owed, whatever the inbox holds. */
  force: boolean;
  /** An interrupt asked for steers and control items to go on afterwards. */
  resumeAfter: boolean;
};

export class Executions {
  readonly #host: Host;
  readonly #running = new Map<string, Running>();
  /** Sessions that the boot sweep is about to resume, with whether a doorbell rang meanwhile. */
  readonly #reserved = new Map<string, { rang: boolean }>();

  constructor(host: Host) {
    this.#host = host;
  }

  active(): string[] {
    return [...this.#running.keys()];
  }

  isActive(sessionID: string): boolean {
    return this.#running.has(sessionID);
  }

  /** The doorbell: coalesces with a running execution, or starts one a tick later. */
  wake(sessionID: string): void {
    const reserved = this.#reserved.get(sessionID);
    if (reserved !== undefined) {
      reserved.rang = true;
      return;
    }
    const running = this.#running.get(sessionID);
    if (running === undefined) this.#start(sessionID, false);
    else running.doorbell = true;
  }

  /**
   * The boot sweep comes first: between its decision to resume a session and the run, a doorbell only rings. Without
   * this, the order of the restart notice and the harness's ring would hang on the load of the machine (host
   * contract, section 15, question 15).
   */
  reserve(sessionID: string): void {
    this.#reserved.set(sessionID, { rang: false });
  }

  /** Ends a reservation; a doorbell that rang meanwhile is answered by the run, or by a start of its own. */
  release(sessionID: string, outcome: "resumed" | "given-up"): void {
    const reserved = this.#reserved.get(sessionID);
    this.#reserved.delete(sessionID);
    if (outcome === "resumed") this.run(sessionID);
    if (reserved?.rang === true) this.wake(sessionID);
  }

  /** Makes at least one step, or joins the execution that is already running. */
  run(sessionID: string): void {
    const running = this.#running.get(sessionID);
    if (running === undefined) this.#start(sessionID, true);
    else running.force = true;
  }

  /** Resolves when this process has no execution for the session; says nothing about its outcome. */
  async wait(sessionID: string, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const running = this.#running.get(sessionID);
      if (running === undefined) return;
      await (signal === undefined ? running.ended : abortable(running.ended, signal));
    }
  }

  /** Acknowledges before the settlements are written. Wakes recorded so far are dropped. */
  interrupt(sessionID: string, resumeAfter: boolean): boolean {
    const running = this.#running.get(sessionID);
    if (running === undefined) return false;
    running.doorbell = false;
    running.resumeAfter = resumeAfter;
    running.controller.abort(new Stopped("user"));
    return true;
  }

  /** Graceful close: everything ends as `shutdown` and keeps its claim. */
  async shutdown(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort(new Stopped("shutdown"));
    await Promise.all(running.map(({ ended }) => ended));
  }

  #start(sessionID: string, force: boolean): void {
    if (!this.#host.life.acceptsWork) return;
    const controller = new AbortController();
    const end = () => controller.abort(this.#host.life.ended.reason);
    this.#host.life.ended.addEventListener("abort", end, { once: true });
    let settle: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const running: Running = { controller, ended, doorbell: false, force, resumeAfter: false };
    this.#running.set(sessionID, running);
    this.#execute(sessionID, running)
      .catch((error: unknown) => {
        if (this.#host.life.halted) return;
        this.#host.logger.error(`The execution of ${sessionID} broke: ${describe(error)}`);
      })
      .finally(() => {
        this.#host.life.ended.removeEventListener("abort", end);
        this.#running.delete(sessionID);
        if (running.doorbell || this.#goesOn(sessionID, running)) this.wake(sessionID);
        settle();
      });
  }

  #goesOn(sessionID: string, running: Running): boolean {
    if (!running.resumeAfter || !this.#host.life.acceptsWork) return false;
    const next = this.#host.inbox.next(sessionID);
    return next !== undefined && (next.delivery === "steer" || isControl(next));
  }

  /** From the claim to exactly one terminal event; or to nothing, if the process dies on the way. */
  async #execute(sessionID: string, running: Running): Promise<void> {
    const { log, sessions, internals, life } = this.#host;
    const { signal } = running.controller;
    await Promise.resolve();
    const claim = () => {
      if (!internals.mutations.has("claimNotWritten")) sessions.claim(sessionID, internals.clock());
    };
    const release = () => {
      if (!internals.mutations.has("claimNeverReleased")) sessions.release(sessionID);
    };
    await log.publish("session.execution.started", { sessionID }, claim);
    try {
      do {
        running.doorbell = false;
        await drain(this.#host, sessionID, running, signal);
      } while (running.doorbell || running.force);
      signal.throwIfAborted();
    } catch (error) {
      if (life.halted) throw error;
      if (!signal.aborted) {
        await log.publish("session.execution.failed", { sessionID, error: errorOf(error) }, release);
        return;
      }
      const reason = signal.reason instanceof Stopped ? signal.reason.reason : "shutdown";
      const keepsClaim = reason === "shutdown";
      await log.publish(
        "session.execution.interrupted",
        { sessionID, reason },
        keepsClaim ? undefined : release,
      );
      return;
    }
    await log.publish("session.execution.succeeded", { sessionID }, release);
  }
}

function errorOf(error: unknown): SessionError {
  return error instanceof ExecutionFailed ? error.error : { type: "unknown", message: describe(error) };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}
