/** What Ctrl-C does while a command works. SIGTERM, which a cancelled CI job gets, always does the same. */
import { EXIT } from "../stored/outcome.ts";

type StopSignal = { readonly signal: AbortSignal; readonly release: () => void };

/** As an abort signal: the first asks for a clean stop, so that traces are left, the second ends the process at once. */
export function stopSignal(stderr: { write(text: string): unknown }): StopSignal {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    stderr.write("\nStopping: exporting what was recorded. Press Ctrl-C again to stop at once.\n");
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    release: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}

/**
 * Ends the process at once, for a command that leaves nothing worth keeping. workerd, servers and temporary folders
 * go when the process exits, and only then.
 */
export function exitOnStop(): void {
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(EXIT.interrupted));
}
