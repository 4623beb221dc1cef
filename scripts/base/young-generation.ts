/**
 * How much memory V8 takes for new objects before it collects them. It grows to 32 MB and more while a run goes on, and what a
 * page of it held once stays taken: a run of 100 trials took 398 MB at most with it and 247 MB without
 * (docs/measurements/2026-12-cost.md).
 */
import { setFlagsFromString } from "node:v8";

/**
 * Keeps the room for new objects at the size that it has. For commands that mostly wait: whoever judges many traces pays a
 * seventh more processor time for it. The option of the command line (`--max-semi-space-size`) says nothing any more to a
 * process that runs, while this is looked at each time that the room would grow.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Takes that back: V8's own growth. The entry of the command line (`recovery-kit.mjs`) loads its modules in little room. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
