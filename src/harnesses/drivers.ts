/**
 * The classes of the subjects that are Durable Objects: a line for each, or it does not compile. A new harness is a folder
 * here and two lines, one in this table and one in `SUBJECTS` (index.ts). Runs in workerd only.
 */
import type { ObjectClass } from "../subject/object-class.ts";
import { underTrial } from "../subject/under-trial.ts";
import {
  ClaudeCodeObject,
  ClaudeCodeRetryObject,
  CodexObject,
  CodexRetryObject,
} from "./agent-clis/agent-cli-driver.ts";
import { AiSdkObject, aiSdkDriver } from "./ai-sdk/ai-sdk-driver.ts";
import { AmnesiaCanary, ClaimCanary, ReplayCanary, SleeperCanary } from "./canaries/canaries.ts";
import {
  BareIdsCanary,
  HoarderCanary,
  SecondSessionCanary,
  secondSessionDriver,
} from "./canaries/container-canaries.ts";
import {
  ContainerIdleObject,
  ContainerObject,
  ContainerRetryObject,
  containerDriver,
} from "./container/container-driver.ts";
import {
  CodexExecServerBareObject,
  CodexExecServerMemoryObject,
  CodexExecServerObject,
  ExecServerObject,
  execServerDriver,
} from "./exec-server/exec-server-driver.ts";
import type { CanaryName, HarnessName } from "./index.ts";
import { OpenCodeObject, openCodeDriver } from "./opencode/opencode-driver.ts";
import { ThinkObject, ThinkRerunObject, thinkDriver } from "./think/think-driver.ts";

export const HARNESS_CLASSES = {
  opencode: underTrial(OpenCodeObject, openCodeDriver),
  think: underTrial(ThinkObject, thinkDriver),
  "think-rerun": underTrial(ThinkRerunObject, thinkDriver),
  "ai-sdk": underTrial(AiSdkObject, aiSdkDriver),
  container: underTrial(ContainerObject, containerDriver),
  "container-retry": underTrial(ContainerRetryObject, containerDriver),
  "container-idle": underTrial(ContainerIdleObject, containerDriver),
  codex: underTrial(CodexObject, containerDriver),
  "codex-retry": underTrial(CodexRetryObject, containerDriver),
  "claude-code": underTrial(ClaudeCodeObject, containerDriver),
  "claude-code-retry": underTrial(ClaudeCodeRetryObject, containerDriver),
  "exec-server": underTrial(ExecServerObject, execServerDriver),
  "codex-exec-server": underTrial(CodexExecServerObject, execServerDriver),
  "codex-exec-server-memory": underTrial(CodexExecServerMemoryObject, execServerDriver),
  "codex-exec-server-bare": underTrial(CodexExecServerBareObject, execServerDriver),
} satisfies Record<HarnessName, ObjectClass>;

/** Nothing is laid over most of these: what they must do otherwise is theirs alone. */
export const CANARY_CLASSES = {
  "canary-replay": ReplayCanary,
  "canary-claim": ClaimCanary,
  "canary-sleeper": SleeperCanary,
  "canary-amnesia": AmnesiaCanary,
  "canary-hoarder": underTrial(HoarderCanary, containerDriver),
  "canary-second-session": underTrial(SecondSessionCanary, secondSessionDriver),
  "canary-bare-ids": underTrial(BareIdsCanary, execServerDriver),
} satisfies Record<CanaryName, ObjectClass>;
