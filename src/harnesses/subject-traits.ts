/**
 * What is true of a subject, whoever asks: planning, selection, reading its storage. Shared code asks the row and names no
 * subject.
 *
 * Leaves to others: the rows (one folder for each harness), and driving a subject (drivers.ts, `scripts/local/server/`).
 */
import { z } from "zod";
import type { Layout } from "../inspect/index.ts";
import type { ContainerKind } from "../trace/levels.ts";

/** An agent CLI of others, as the work of a container. */
export const AgentCliName = z.enum(["codex", "claude-code"]);
export type AgentCliName = z.infer<typeof AgentCliName>;

export type SubjectTraits = {
  /**
   * An object is a Durable Object of the subject Worker. A process is started and ended by whoever runs the trials, and
   * nothing else can wake it. A command is a process of each trial's own: starting it is handing the operation in, so it is
   * started again after a reset and never otherwise.
   */
  readonly runs: "object" | "process" | "command";
  /** Where its OpenCode host comes from: the run's choice, none at all, or it is an OpenCode server itself. */
  readonly host: "chosen" | "none" | "server";
  /** Another Worker than the kit's subject Worker: a user's own. Absent for the kit's. */
  readonly worker?: "own";
  /** What stands for the container in which its work is done; absent where the object does it itself. */
  readonly container?: ContainerKind;
  /** The agent CLI that works there, which has to be installed first; absent where it is the kit's own. */
  readonly agentCli?: AgentCliName;
  /**
   * As how many trials one of its trials counts on its way: it takes the processors as much, and may take as much longer.
   * Absent for one.
   */
  readonly weight?: number;
  /** Hands out ids of its executor's work, which a client may use later. */
  readonly handsOutReferences?: true;
  /** After how long without work it stops its container, in ms; absent where that is longer than a trial. */
  readonly idleStopMs?: number;
  /** Broken on purpose: the judge must convict it. */
  readonly canary: boolean;
  /** Whether it is a session of the `/api` core of an OpenCode server, which not every version can run. */
  readonly onCore?: true;
  /** Has to be installed first, so it runs only when it is asked for. */
  readonly onDemand: boolean;
  /** The subject that this one is with something set otherwise: whoever asks for that one means both. */
  readonly variantOf: string | null;
  /** `unknown`: under which id its storage keeps the session, nobody tells. Absent: under the one that it answers with. */
  readonly storedSession?: "unknown";
  /** How its storage is laid out, beside what the kit and the runtime keep in it. */
  readonly layouts: readonly Layout[];
};
