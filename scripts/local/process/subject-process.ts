/** A process with subjects in it, workerd or a server, as whoever resets it sees it. */

/** How a process ended, as its parent saw it. */
export type ProcessEnd = {
  readonly pid: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
};

export type SubjectProcess = {
  readonly pid: number | null;
  start(): Promise<void>;
  kill(): Promise<ProcessEnd>;
  shutDown(): Promise<ProcessEnd>;
  stop(): Promise<void>;
  /** Replaces the code, where that can be done without the process's own end. */
  redeploy?(build: string): Promise<ProcessEnd>;
};
