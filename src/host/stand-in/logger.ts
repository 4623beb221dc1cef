/** The host's own log: the `log` option (host contract, section 2.1). Warnings and errors by default. */
import type { LogEntry, LogLevel } from "../types/client-types.ts";
import type { JsonObject } from "../types/messages.ts";
import { HOST_IDENTITY } from "./identity.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

export class Logger {
  readonly #least: number;
  readonly #emit: (entry: LogEntry) => void;

  constructor(options: { level?: LogLevel; emit?: (entry: LogEntry) => void } = {}) {
    this.#least = LEVELS.indexOf(options.level ?? "warn");
    this.#emit = options.emit ?? ((entry) => console.warn(`[${HOST_IDENTITY.name}] ${entry.message}`));
  }

  warn(message: string, detail?: JsonObject): void {
    this.#write("warn", message, detail);
  }

  error(message: string, detail?: JsonObject): void {
    this.#write("error", message, detail);
  }

  #write(level: LogLevel, message: string, detail?: JsonObject): void {
    if (LEVELS.indexOf(level) < this.#least) return;
    this.#emit({ level, message, ...(detail === undefined ? {} : { detail }) });
  }
}
