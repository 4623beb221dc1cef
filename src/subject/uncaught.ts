/**
 * Exceptions that nothing in a subject caught and that no handler's end tells of: a promise that nobody took, a listener that
 * threw. The runtime tells them of a whole isolate, which many objects share; whose they are is known by the asynchronous
 * context that they arose in. One of no known object is printed alone, and so stays in the Workers' log.
 *
 * What no listener is told, and so nobody here: what a timer's function throws.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export type Where = "promise" | "listener" | "wait-until" | "fetch";

/** Whoever runs an object's code, and is told what that code threw. */
export type Owner = {
  /** Null where that is not known. */
  readonly trial: string | null;
  /** Never throws. `isCaught`: whether somebody took the promise after all. */
  uncaught(where: Where, error: unknown, isCaught: () => boolean): void;
};

/** Most lines of a stack, and characters of each, that a record keeps. */
const STACK_LINES_MAX = 10;
const STACK_LINE_CHARS_MAX = 300;
const ERROR_CHARS_MAX = 4_000;

const running = new AsyncLocalStorage<Owner>();
const takenLater = new WeakSet<Promise<unknown>>();

addEventListener("unhandledrejection", ({ promise, reason }) => {
  tell("promise", reason, () => takenLater.has(promise));
});
addEventListener("rejectionhandled", ({ promise }) => {
  takenLater.add(promise);
});
// The runtime's types leave this event out.
(addEventListener as (type: "error", listener: (event: ErrorEvent) => void) => void)("error", (event) => {
  tell("listener", event.error ?? event.message, () => false);
});

/** Does the work as the owner's: what it leaves uncaught, now or later, is told to the owner. */
export function asWorkOf<T>(owner: Owner, work: () => T): T {
  return running.run(owner, work);
}

/** Whose work this is; undefined where it is nobody's. */
export function ownerNow(): Owner | undefined {
  return running.getStore();
}

/** As the record of the journal has it: `name: message`. */
export function errorText(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : textOf(error)).slice(
    0,
    ERROR_CHARS_MAX,
  );
}

/** Where it was thrown, innermost first; empty for what is no error. Files go by their names: folders are the machine's. */
export function stackLines(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== "string") return [];
  const places = error.stack.split("\n").filter((line) => /^\s+at /.test(line));
  return places.slice(0, STACK_LINES_MAX).map((line) =>
    line
      .trim()
      .replaceAll(/file:\/\/[^\s()]*\//g, "")
      .slice(0, STACK_LINE_CHARS_MAX),
  );
}

function tell(where: Where, error: unknown, isCaught: () => boolean): void {
  const owner = running.getStore();
  const trial = owner?.trial ?? null;
  const whose = trial === null ? "of no known trial" : `of trial ${trial}`;
  console.error([`uncaught (${where}) ${whose}: ${errorText(error)}`, ...stackLines(error)].join("\n  "));
  owner?.uncaught(where, error, isCaught);
}

/** What was thrown may be anything, even what has no text. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "a value that has no text";
  }
}
