/** How a command joins the program, and what it is given of the process, so that it writes and ends nowhere else. */
import type { Command } from "commander";
import type { Outlet } from "../present/page.ts";
import type { ExitCode } from "../stored/outcome.ts";

export type Terminal = {
  readonly stdout: Outlet;
  readonly stderr: Outlet;
  /** The arguments as typed, for the record. */
  readonly argv: readonly string[];
  /** Sets the exit code; the last one set counts. */
  readonly exit: (code: ExitCode) => void;
};

/** Adds a command to the program. What the command needs beyond its arguments and its output is loaded in its action. */
export type RegisterCommand = (program: Command, terminal: Terminal) => void;
