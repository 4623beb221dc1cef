/**
 * What stops a command while it works: Ctrl-C, SIGTERM, which a cancelled CI job gets, and SIGHUP, which a closed terminal
 * sends. All of them do the same.
 */
import { EXIT } from "../stored/outcome.ts";

type StopSignal = { readonly signal: AbortSignal; readonly release: () => void };

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** One press may come twice within this time: npm passes on to its script what the terminal has sent it already. */
const SAME_PRESS_MS = 500;

/** As an abort signal: the first asks for a clean stop, so that traces are left, the second ends the process at once. */
export function stopSignal(stderr: { write(text: string): unknown }): StopSignal {
  const controller = new AbortController();
  let pressedAt = Number.NEGATIVE_INFINITY;
  const onSignal = () => {
    const now = performance.now();
    if (now - pressedAt < SAME_PRESS_MS) return;
    pressedAt = now;
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    stderr.write("\nStopping: exporting what was recorded. Press Ctrl-C again to stop at once.\n");
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

/**
 * Ends the process at once, for a command that leaves nothing worth keeping. workerd, servers and temporary folders
 * go when the process exits, and only then.
 */
export function exitOnStop(): void {
  for (const name of SIGNALS) process.once(name, () => process.exit(EXIT.interrupted));
}
