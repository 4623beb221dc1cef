/**
 * The resets that the controller performs: one entry for each row of `RESETS` that names it. An entry acts on the object
 * once and says how that went; recording it is left to `deliver-reset.ts`.
 */
import type { SubjectLink } from "../link/subject-link.ts";
import type { ControllerReset } from "../trace/resets.ts";

/** Delivered, with what the object's caller saw of it, if anything, or refused, and why. */
type Delivery =
  | { readonly delivered: true; readonly error: unknown }
  | { readonly delivered: false; readonly error: string };

type ResetPerformer = {
  /** What is done, in the field's words. */
  readonly mechanism: string;
  /** `session`: that of the job record; null where none is kept. */
  readonly perform: (subject: SubjectLink, operationId: string, session: string | null) => Promise<Delivery>;
};

/** How long a client of the `client-disconnect` and `stop-waiting` controls waits before it leaves, in ms. */
const CLIENT_PATIENCE_MS = 500;

export const CONTROLLER_RESETS: Readonly<Record<ControllerReset, ResetPerformer>> = {
  abort: {
    mechanism: "ctx.abort()",
    perform: async (subject) => {
      const { lost, error } = await subject.reset();
      return { delivered: lost, error };
    },
  },
  "client-disconnect": {
    mechanism: "a client closed its connection in the middle of a wait",
    perform: async (subject, operationId) => {
      const left = await subject
        .wait(operationId, CLIENT_PATIENCE_MS * 20, { signal: AbortSignal.timeout(CLIENT_PATIENCE_MS) })
        .then(
          () => null,
          (error: unknown) => ({ error }),
        );
      return left === null
        ? { delivered: false, error: "the operation had settled before the client left" }
        : { delivered: true, ...left };
    },
  },
  "stop-waiting": {
    mechanism: "the signal of a wait was aborted; the operation was left alone",
    perform: async (subject, operationId) => {
      const { settled } = await subject.wait(operationId, CLIENT_PATIENCE_MS);
      return settled
        ? { delivered: false, error: "the operation had settled already" }
        : { delivered: true, error: null };
    },
  },
  stop: {
    mechanism: "the harness was asked to stop its executor",
    perform: async (subject) =>
      subject.stopExecutor().then(
        () => ({ delivered: true, error: null }) as const,
        (error: unknown) =>
          ({ delivered: false, error: error instanceof Error ? error.message : String(error) }) as const,
      ),
  },
  "stream-lost": {
    mechanism: "a client that followed the session's events was cut off",
    perform: async (subject, _operation, session) => {
      const over = new AbortController();
      const events = subject.events(known(session), over.signal);
      const { done } = await events.next();
      over.abort(new Error("the client's connection was cut"));
      const end = events.next().then(
        () => null,
        (error: unknown) => error,
      );
      return done === true
        ? { delivered: false, error: "nothing was told before the connection was to be cut" }
        : { delivered: true, error: await end };
    },
  },
  "session-lost": {
    mechanism: "the session's record was deleted from the object's store",
    perform: async (subject, _operation, session) => {
      await subject.deleteSession(known(session));
      return { delivered: true, error: null };
    },
  },
  interrupt: {
    mechanism: "the harness's abort of the session",
    perform: async (subject) =>
      (await subject.abort())
        ? { delivered: true, error: null }
        : { delivered: false, error: "there was nothing to interrupt" },
  },
};

/** @throws where no job record is kept. */
function known(session: string | null): string {
  if (session === null) throw new Error("there is no job record that names the session");
  return session;
}
