/**
 * How much memory V8 takes for new objects before it collects them. It grows to 32 MB and more while a run goes on, and what a
 * page of it held once stays taken: a run of 100 trials took 398 MB at most with it and 247 MB without
 * (docs/measurements/2026-12-cost.md). The entry of the command line (`recovery-kit.mjs`) keeps that room as small as it is, before
 * anything is loaded: the option of Node's command line (`--max-semi-space-size`) says nothing any more to a process that runs, while
 * the one that it sets is looked at each time that the room would grow.
 */
import { setFlagsFromString } from "node:v8";

/** Takes that back: V8's own growth. For commands that do not mostly wait: whoever judges many traces in little room pays a seventh more processor time for it. */
export function letYoungGenerationGrow(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
