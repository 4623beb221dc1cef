/**
 * The levels of the factor `reset` and what is true of each. Whoever handles resets in general asks the row and names no
 * level. A new reset is a row here and an entry in its performer's table, which does not compile without it:
 * `src/controller/controller-resets.ts`, or `process-resets.ts` and `object-resets.ts` of the local runtime.
 *
 * Leaves to others: performing a reset, and judging whether it happened.
 */
import { z } from "zod";

/** The answers of one reset. */
type ResetTraits = {
  /** The controller reaches an object through the object's own requests; the runner has its process in hand. */
  readonly performer: "controller" | "runner";
  /**
   * What is gone afterwards: nothing (only a client left), the session's turn, the session's record, the executor alone, the
   * object's life, the process with every object in it, or the process and its code.
   */
  readonly takes: "nothing" | "turn" | "session" | "executor" | "object" | "process" | "code";
  /** What has to be another one afterwards. Null where the host stays, so that there is nothing to prove. */
  readonly proof: "activation" | "isolate" | "version" | null;
  /**
   * What becomes of the request that is held at the point. A host that is gone gets nothing any more; one that stays goes
   * on with its request, unless the reset gave that up. `kept`: until the client that comes back has it released.
   */
  readonly held: "dropped" | "proceeds" | "kept";
  /** How its process is seen to have ended: by the signal itself, or in any way. */
  readonly ends?: "by-signal" | "in-any-way";
  /** How long its performer is at it, in ms, seen on two cores. Absent where that is too short to count. */
  readonly durationMs?: number;
  /** Whether it is refused while a request to the object is open. */
  readonly needsIdle?: true;
  /** A request that a client has open would put it off: a process that is asked to end answers what it was asked first. */
  readonly waitsForRequests?: true;
};

type Proof = NonNullable<ResetTraits["proof"]>;
/** Answers that go together. */
type Row = ResetTraits &
  (
    | { readonly takes: "nothing" | "turn" | "session"; readonly proof: null }
    | { readonly takes: "executor"; readonly proof: null }
    | { readonly takes: "object"; readonly proof: Proof }
    | {
        readonly takes: "process";
        readonly proof: Proof;
        readonly performer: "runner";
        readonly ends: "by-signal" | "in-any-way";
      }
    | {
        readonly takes: "code";
        readonly proof: Proof;
        readonly performer: "runner";
        readonly ends?: "by-signal" | "in-any-way";
      }
  );

/** A level that is made of other ones, delivered one after the other. */
type Sequence = { readonly steps: readonly string[] };

export const RESETS = {
  none: { steps: [] },
  abort: { performer: "controller", takes: "object", proof: "activation", held: "dropped" },
  kill: { performer: "runner", takes: "process", proof: "isolate", held: "dropped", ends: "by-signal" },
  restart: {
    performer: "runner",
    takes: "process",
    proof: "isolate",
    held: "dropped",
    ends: "in-any-way",
    waitsForRequests: true,
  },
  redeploy: { performer: "runner", takes: "code", proof: "version", held: "dropped" },
  // The platform lets active objects keep their code for a time that the deploy names, and takes them then.
  "redeploy-within": { performer: "runner", takes: "code", proof: "version", held: "dropped" },
  // The other SDK set of the trial takes over storage and port: another build, so another version.
  upgrade: { performer: "runner", takes: "code", proof: "version", held: "dropped", ends: "by-signal" },
  // Says that it takes the code and leaves it, as a platform may: the old host goes on with what it was doing.
  "redeploy-deferred": { performer: "runner", takes: "code", proof: "version", held: "proceeds" },
  // The runtime evicts an object only after it was idle for so long.
  evict: {
    performer: "runner",
    takes: "object",
    proof: "activation",
    held: "dropped",
    durationMs: 24_000,
    needsIdle: true,
  },
  // The executor is killed, and its container refuses to start as often as the harness tries.
  unstartable: { performer: "runner", takes: "executor", proof: null, held: "dropped" },
  // The executor stands still, and goes on when another one has taken its place: what was on its way to it arrives.
  pause: { performer: "runner", takes: "executor", proof: null, held: "proceeds" },
  // The harness's own act, when nothing was to do for a while; it is waited for.
  "idle-stop": { performer: "runner", takes: "executor", proof: null, held: "dropped", durationMs: 12_000 },
  // The harness is asked to stop its executor.
  stop: { performer: "controller", takes: "executor", proof: null, held: "dropped" },
  "client-disconnect": { performer: "controller", takes: "nothing", proof: null, held: "proceeds" },
  "stop-waiting": { performer: "controller", takes: "nothing", proof: null, held: "proceeds" },
  // A client follows the session's events and is cut off from them.
  "stream-lost": { performer: "controller", takes: "nothing", proof: null, held: "kept" },
  // The object forgets the session while it works: what ran for it goes on.
  "session-lost": { performer: "controller", takes: "session", proof: null, held: "proceeds" },
  interrupt: { performer: "controller", takes: "turn", proof: null, held: "dropped" },
  "interrupt-then-kill": { steps: ["interrupt", "kill"] },
} as const satisfies Record<string, Row | Sequence>;

/** How the host is lost, or what is done to the trial instead (a control). */
export type Reset = keyof typeof RESETS;
export const Reset = z.enum(Object.keys(RESETS) as Reset[]);

/** The levels whose row has these answers. */
type ResetWith<Answers> = {
  [Level in Reset]: (typeof RESETS)[Level] extends Answers ? Level : never;
}[Reset];

/** A reset that is delivered as it is, and no sequence of others. */
export type SingleReset = Exclude<Reset, ResetWith<Sequence>>;
export type ControllerReset = ResetWith<{ readonly performer: "controller" }>;
/** Ends a whole process, so that trials that share it are reset together. */
export type ProcessReset = ResetWith<{ readonly performer: "runner"; readonly takes: "process" | "code" }>;
/** The runner's, performed on one object at a time. */
export type ObjectReset = Exclude<
  ResetWith<{ readonly performer: "runner" }>,
  ProcessReset | ResetWith<{ readonly takes: "executor" }>
>;

/** The answers of a level; null for a sequence, which has no others than its steps. */
export function traitsOf(reset: SingleReset): ResetTraits;
export function traitsOf(reset: Reset): ResetTraits | null;
export function traitsOf(reset: Reset): ResetTraits | null {
  const row: ResetTraits | Sequence = RESETS[reset];
  return "steps" in row ? null : row;
}

/** The single resets that a trial delivers, in order. A sequence is delivered once, whatever `resets` says. */
export function plannedResets({
  reset,
  resets,
}: {
  readonly reset: Reset;
  readonly resets: number;
}): SingleReset[] {
  const row = RESETS[reset];
  if ("steps" in row) return [...row.steps];
  return Array.from({ length: resets }, () => reset as SingleReset);
}

export function isForController(reset: Reset): reset is ControllerReset {
  return traitsOf(reset)?.performer === "controller";
}

export function isForRunner(reset: Reset): reset is ProcessReset | ObjectReset {
  return traitsOf(reset)?.performer === "runner";
}

/** Whether it is a reset of a whole process. */
export function takesProcess(reset: Reset): reset is ProcessReset {
  const takes = traitsOf(reset)?.takes;
  return takes === "process" || takes === "code";
}

/** Whether it ends the life of the object, alone or with its process: what follows is recovery. */
export function takesHost(reset: Reset): boolean {
  return takesProcess(reset) || traitsOf(reset)?.takes === "object";
}

/** Whether it takes an executor and can take nothing else. */
export function takesExecutorAlone(reset: Reset): boolean {
  return traitsOf(reset)?.takes === "executor";
}

/** Whether it leaves the host alone. A control is delivered once: no recovery follows that could be hit again. */
export function isControl(reset: Reset): boolean {
  return traitsOf(reset) !== null && !takesHost(reset) && !takesExecutorAlone(reset);
}

/** Whether it ends what the session was doing and leaves its host alone. */
export function takesTurn(reset: Reset): boolean {
  return traitsOf(reset)?.takes === "turn";
}
