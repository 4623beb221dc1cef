/** What a command is given of the process, so that it writes and ends nowhere else. */
import type { ExitCode } from "../stored/outcome.ts";

export type Terminal = {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** The arguments as typed, for the record. */
  readonly argv: readonly string[];
  /** Sets the exit code; the last one set counts. */
  readonly exit: (code: ExitCode) => void;
};
