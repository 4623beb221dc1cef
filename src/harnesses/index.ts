/**
 * The subjects that are plugged in, and what is true of each. A new harness is a folder here and two lines: one in
 * `SUBJECTS`, and one in the table of its performers, which does not compile without it: `drivers.ts` for an object,
 * `scripts/local/server/server-slot.ts` for a process, `scripts/local/command/controls.ts` for a command of the kit's own.
 *
 * Runs anywhere: what a harness needs to be driven stays out of it.
 */
import { z } from "zod";
import type { Layout } from "../inspect/index.ts";
import type { Subject } from "../trace/levels.ts";
import { claudeCode, claudeCodeRetry, codex, codexRetry } from "./agent-clis/agent-cli-traits.ts";
import { aiSdk } from "./ai-sdk/ai-sdk-traits.ts";
import { canary } from "./canaries/canary-traits.ts";
import { command, commandKeyed, keylessCanary } from "./command/command-traits.ts";
import { container, containerCanary, containerIdle, containerRetry } from "./container/container-traits.ts";
import {
  codexExecServer,
  codexExecServerVariant,
  execServer,
  execServerCanary,
} from "./exec-server/exec-server-traits.ts";
import { openCode } from "./opencode/opencode-traits.ts";
import { openCodeServer, openCodeServerShell } from "./opencode-server/opencode-server-traits.ts";
import { own } from "./own/own-traits.ts";
import type { SubjectTraits } from "./subject-traits.ts";
import { think, thinkRerun } from "./think/think-traits.ts";

export const SUBJECTS = {
  opencode: openCode,
  think,
  "think-rerun": thinkRerun,
  "ai-sdk": aiSdk,
  container,
  "container-retry": containerRetry,
  "container-idle": containerIdle,
  codex,
  "codex-retry": codexRetry,
  "claude-code": claudeCode,
  "claude-code-retry": claudeCodeRetry,
  "exec-server": execServer,
  "codex-exec-server": codexExecServer,
  "codex-exec-server-memory": codexExecServerVariant,
  "codex-exec-server-bare": codexExecServerVariant,
  "opencode-server": openCodeServer,
  "opencode-server-shell": openCodeServerShell,
  command,
  "command-keyed": commandKeyed,
  own,
  "canary-replay": canary,
  "canary-claim": canary,
  "canary-sleeper": canary,
  "canary-amnesia": canary,
  "canary-hoarder": containerCanary,
  "canary-second-session": containerCanary,
  "canary-bare-ids": execServerCanary,
  "canary-keyless": keylessCanary,
} as const satisfies Record<Subject, SubjectTraits>;

/** The harness under test, or a canary: a subject that can run here. A stored trace may be of another one. */
export type KnownSubject = keyof typeof SUBJECTS;
export const KnownSubject = z.enum(Object.keys(SUBJECTS) as KnownSubject[]);

/** The subjects whose row has these answers. */
type SubjectWith<Answers> = {
  [Name in KnownSubject]: (typeof SUBJECTS)[Name] extends Answers ? Name : never;
}[KnownSubject];

export type HarnessName = Exclude<
  SubjectWith<{ readonly runs: "object"; readonly canary: false }>,
  SubjectWith<{ readonly worker: "own" }>
>;
export type CanaryName = SubjectWith<{ readonly runs: "object"; readonly canary: true }>;
export type ProcessName = SubjectWith<{ readonly runs: "process" }>;
export type CommandName = SubjectWith<{ readonly runs: "command" }>;

/** @throws for a subject that is not plugged in: whatever chooses a level checks its name. */
export function subjectTraits(subject: Subject): SubjectTraits {
  const known = KnownSubject.safeParse(subject);
  if (!known.success) throw new Error(`there is no subject '${subject}' here`);
  return SUBJECTS[known.data];
}

/** Every layout that a storage may have, whosever it is. */
export const LAYOUTS: readonly Layout[] = [
  ...new Set(Object.values(SUBJECTS).flatMap(({ layouts }): readonly Layout[] => layouts)),
];
