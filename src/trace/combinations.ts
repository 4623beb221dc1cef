/**
 * Which levels make sense together. Experiments are checked with it when they are loaded, and the controller refuses a
 * trial that contradicts itself, instead of running it as something else.
 */
import { drillTraits } from "./drills.ts";
import type { ContainerKind, Point } from "./levels.ts";
import { POINTS } from "./points.ts";
import { isControl, plannedResets, Reset, takesExecutorAlone, traitsOf } from "./resets.ts";
import type { Factors } from "./spec.ts";
import { targetTraits } from "./targets.ts";

/** What can be done to a process: end it as a process. It is no object that could be reset, evicted or deployed. */
const RESETS_OF_PROCESSES: readonly Reset[] = Reset.options.filter(
  (reset) => reset === "none" || traitsOf(reset)?.ends !== undefined,
);

const RESETS_OF_COMMANDS: readonly Reset[] = ["none", "kill"];
/** Where the ledger alone holds what goes on. */
const POINTS_OF_COMMANDS: readonly Point[] = ["none", "before-commit", "after-commit", "after-receipt"];

/** One sentence for the first levels that contradict each other, or null. `runs` is what the factors' subject runs as. */
export function contradictionIn(
  factors: Omit<Factors, "host">,
  {
    runs,
    container,
    idleStopMs,
  }: {
    readonly runs: "object" | "process" | "command";
    readonly container?: ContainerKind;
    readonly idleStopMs?: number;
  },
): string | null {
  const { subject, point, reset, resets, reconnect, heldAttempt, target, deferredS } = factors;
  if (target !== undefined && container === undefined)
    return `subject '${subject}' has no executor apart from its object: leave target out`;
  const { workspace, supervision } = factors;
  if ((workspace !== undefined || supervision !== undefined) && container === undefined)
    return `subject '${subject}' has no executor apart from its object: leave workspace and supervision out`;
  if (factors.callers !== undefined && (container === undefined || reconnect === "never"))
    return `two callers ask at once for an executor after the reset: subject '${subject}' needs one, and reconnect must not be 'never'`;
  if (factors.drill !== undefined && (container === undefined || reconnect === "never"))
    return `a drill is tried with an executor, by a client that comes back: subject '${subject}' needs one, and reconnect must not be 'never'`;
  if (reset === "stream-lost" && !(factors.drill !== undefined && drillTraits(factors.drill).followsEvents))
    return "reset 'stream-lost' needs a client that follows the session's events: drill must be 'event-stream'";
  if (reset === "session-lost" && factors.drill === undefined)
    return "reset 'session-lost' leaves a job record and no session: it goes with a drill";
  if (supervision === "cannot-kill" && reset !== "pause")
    return `supervision 'cannot-kill' is about an executor that stands still: reset must be 'pause', not '${reset}'`;
  if (reset === "idle-stop" && (point !== "after-answer" || idleStopMs === undefined))
    return `reset 'idle-stop' needs point 'after-answer', and a subject that stops an idle container within the trial`;
  if (takesExecutorAlone(reset) && !targetTraits(factors).losesExecutor)
    return `reset '${reset}' takes an executor: target must be 'executor'`;
  const possible = targetTraits(factors).resets;
  if (possible !== null && (!possible.includes(reset) || resets !== 1))
    return `target '${target}' goes with one reset, of ${possible.join(" or ")}, not with ${resets} of '${reset}'`;
  if (runs === "command") {
    if (!RESETS_OF_COMMANDS.includes(reset))
      return `subject '${subject}' is a command: its resets are ${RESETS_OF_COMMANDS.join(", ")}, not '${reset}'`;
    if (!POINTS_OF_COMMANDS.includes(point))
      return `subject '${subject}' is a command, whose model nobody can hold: its points are ${POINTS_OF_COMMANDS.join(", ")}, not '${point}'`;
    // Whoever comes back to a command starts it once more, and that would be another piece of work.
    if (reconnect !== "never")
      return `subject '${subject}' is a command, which a client cannot come back to: reconnect must be 'never', not '${reconnect}'`;
  } else if (factors.key === "agent")
    return `key 'agent' is what an agent gives by itself: subject '${subject}' is told its keys`;
  if (runs === "process") {
    if (!RESETS_OF_PROCESSES.includes(reset))
      return `subject '${subject}' is a process: its resets are ${RESETS_OF_PROCESSES.join(", ")}, not '${reset}'`;
    if (reconnect === "never")
      return `subject '${subject}' is a process, which nothing wakes: reconnect must be 'after-quiet' or 'at-once'`;
  }
  if ((reset === "redeploy-within") !== (deferredS !== undefined))
    return reset === "redeploy-within"
      ? "reset 'redeploy-within' needs deferredS: how long active objects keep their code"
      : `deferredS belongs to reset 'redeploy-within', not to '${reset}'`;
  if ((point === "write") !== (factors.write !== undefined))
    return point === "write"
      ? "point 'write' needs write: which one, and on which side"
      : `write belongs to point 'write', not to '${point}'`;
  if (point === "write" && (reset !== "abort" || runs !== "object" || container !== undefined))
    return `an object is lost at its own write, by reset 'abort': neither '${reset}' nor an executor of subject '${subject}' comes there`;
  if (point === "none" && reset !== "none")
    return `reset '${reset}' needs a point to be delivered at; point is 'none'`;
  if (reset === "none" && !["none", "after-answer"].includes(point))
    return `point '${point}' would be held for ever: it goes with a reset`;
  if (reset === "none" && resets !== 0) return `resets must be 0 with reset 'none', not ${resets}`;
  if (reset !== "none" && resets < 1) return `resets must be at least 1 with reset '${reset}'`;
  if (point === "during-recovery" && resets < 2)
    return "point 'during-recovery' is reached by the reset before it: resets must be at least 2";
  if (POINTS[point].needsExecutor && container === undefined)
    return `point '${point}' is about an executor's files, and subject '${subject}' has no executor apart from its object`;
  if (POINTS[point].once && resets > 1) return `point '${point}' is reached once: resets must be 1`;
  if (resets > 1 && isControl(reset)) return `reset '${reset}' is a control and is delivered once`;
  if (
    factors.reprompt !== undefined &&
    (point === "none" || reconnect === "never" || factors.drill !== undefined)
  )
    return "reprompt is what a client does that comes back after a reset: it goes with a point, with reconnect 'after-quiet' or 'at-once', and with no drill";
  if (heldAttempt === "left-open" && point !== "before-commit")
    return "heldAttempt 'left-open' goes with point 'before-commit'";
  if (heldAttempt === "committed-late" && point !== "before-commit")
    return "heldAttempt 'committed-late' goes with point 'before-commit'";
  if (runs !== "command" && reconnect === "never" && plannedResets(factors).length === 0)
    return "reconnect 'never' goes with a reset: a client that lost nothing has nothing to come back to";
  return null;
}
