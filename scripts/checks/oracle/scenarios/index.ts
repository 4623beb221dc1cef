/** Every scenario, in the order in which they are played. Those that kill the host come last. */
import type { Scenario } from "../scene.ts";
import { samePromptId, unknownSession, whileBusy } from "./admission.ts";
import { crashRecovery, crashWithoutSweep } from "./crashed-turn.ts";
import { badArguments, refusedByProvider, unknownTool } from "./failures.ts";
import { interruptInTool } from "./interruption.ts";
import { plainTurn } from "./plain-turn.ts";
import { replay } from "./replayed-log.ts";
import { callBeforeStreamEnd, textThenTool, toolTurn, twoCalls } from "./tool-turn.ts";

export const SCENARIOS: readonly Scenario[] = [
  plainTurn,
  toolTurn,
  textThenTool,
  twoCalls,
  callBeforeStreamEnd,
  unknownTool,
  badArguments,
  refusedByProvider,
  samePromptId,
  whileBusy,
  unknownSession,
  interruptInTool,
  replay,
  crashRecovery,
  crashWithoutSweep,
];
