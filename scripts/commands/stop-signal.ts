/**
 * Ctrl-C as an abort signal: the first asks for a clean stop, the second ends the process at once. SIGTERM asks like
 * the first, so that a CI job that is cancelled leaves traces too.
 */
import { EXIT } from "../stored/outcome.ts";

export type StopSignal = { readonly signal: AbortSignal; readonly release: () => void };

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
