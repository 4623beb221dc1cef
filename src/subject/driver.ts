/**
 * How the kit speaks to the class of one harness: as a client of that class would, through its public interface.
 *
 * Leaves to others: the subject protocol, the activation and the storage, which are alike for all (driven-subject.ts).
 */
import type { Via } from "../trace/observations.ts";
import type { FileMarkers } from "../trace/protocol/container-protocol.ts";
import type {
  BeginRequest,
  LogResponse,
  StreamLine,
  SubmitRequest,
  TranscriptResponse,
} from "../trace/protocol/subject-protocol.ts";
import type { HostIdentity } from "../trace/spec.ts";

/** What a harness says when it takes an operation. */
type HarnessReceipt = {
  readonly operationId: string;
  readonly session: string;
  readonly accepted: boolean;
};

/** How an operation ended, in the words that all harnesses of `agents` share. */
type HarnessResult = {
  readonly session: string;
  readonly status: "done" | "unanswered";
  readonly reason?: string;
  readonly text?: string;
};

/** A session's events as they come. */
export type EventStream = {
  readonly begins: StreamLine;
  /** Calls `tell` with what follows, from now on. */
  readonly start: (tell: (line: StreamLine) => void) => void;
  readonly stop: () => Promise<void>;
};

export type Driver<Agent> = {
  /** What runs the agent. */
  readonly host: () => HostIdentity;
  /** The session that the trial uses. */
  readonly session: string;
  /** Resolves when the harness may be spoken to. */
  readonly start: (agent: Agent) => Promise<void>;
  readonly submit: (agent: Agent, request: SubmitRequest) => Promise<HarnessReceipt>;
  /** `signal` stops only the wait. `session`: another one than the trial's own, which `begin` brought. */
  readonly wait: (
    agent: Agent,
    operationId: string,
    signal: AbortSignal,
    session?: string,
  ) => Promise<HarnessResult>;
  /** Has the trial's session begin anew, or another one, and hands its first prompt in; absent where nobody asks for it. */
  readonly begin?: (agent: Agent, request: BeginRequest) => Promise<HarnessReceipt>;
  /** Another session, by its id; absent where an object has one. */
  readonly openSession?: (agent: Agent) => Promise<string>;
  /** Has the object forget a session with all its work. @throws when it is not there. */
  readonly deleteSession?: (agent: Agent, session: string) => Promise<void>;
  /** @throws when the session is not there. Absent where nobody follows a session so. */
  readonly events?: (agent: Agent, session: string) => Promise<EventStream>;
  /** Absent where the harness keeps no durable log of events. */
  readonly log?: (agent: Agent, after: number | null) => Promise<Pick<LogResponse, "items" | "complete">>;
  /** `via` means something to a harness with several readings only, which says in its answer that it took it. */
  readonly transcript: (
    agent: Agent,
    via: Via,
  ) => Promise<Pick<TranscriptResponse, "messages" | "pending" | "via">>;
  /** The harness's own interrupt of the session. */
  readonly abort: (agent: Agent) => Promise<boolean>;
  /** Which executor the harness names, and what lies in its container; absent where none does the work. */
  readonly executor?: (agent: Agent) => Promise<{
    readonly running: boolean;
    readonly runtimeId: string | undefined;
    readonly markers: FileMarkers;
  }>;
  /** Begins a piece of work in the executor, whose output shows the name; absent where no ids of such work are handed out. */
  readonly beginWork?: (
    agent: Agent,
    work: string,
  ) => Promise<{ readonly reference: string; readonly executor: string | null }>;
  /** The name of the work that an id names now. @throws when it names none. */
  readonly workAt?: (agent: Agent, reference: string) => Promise<string>;
  /** Has the harness stop its executor; absent where none does the work apart from the object. */
  readonly stopExecutor?: (agent: Agent) => Promise<void>;
};
