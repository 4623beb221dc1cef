/**
 * A process with subjects in it, workerd or a server, as whoever resets it sees it.
 *
 * Nothing but `start` begins one on the subject's storage: a process that ends stays away until then, so that whoever
 * starts it can write down that one ended and another took its place.
 */

/** How a process ended, as its parent saw it. */
export type ProcessEnd = {
  readonly pid: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
};

export type SubjectProcess = {
  /** Null while none runs. */
  readonly pid: number | null;
  /** Resolves once it listens. */
  start(): Promise<void>;
  /** Both resolve as soon as the operating system reports the end. */
  kill(): Promise<ProcessEnd>;
  shutDown(): Promise<ProcessEnd>;
  stop(): Promise<void>;
  /** Has the next start bring other code, where a process can be given any. */
  useBuild?(build: string): void;
  /**
   * Has the next start bring the other SDK set of its trials. A second time it goes back to the first one.
   *
   * @returns The names of the set that it runs and of the one that the next start brings.
   */
  useNextSet?(build: string): { readonly from: string; readonly to: string };
};
