/** `bench`: prints figures about the kit itself, as they are measured. */
import type { Command } from "commander";
import { letYoungGenerationGrow } from "../base/young-generation.ts";
import type { BenchLine } from "../checks/bench/bench-lines.ts";
import { wholeNumber } from "./options.ts";
import type { Terminal } from "./terminal.ts";

type BenchArguments = {
  readonly run?: string;
  readonly records: number;
  readonly trials: number;
  readonly live?: readonly number[];
  readonly matrix?: true;
  readonly busy: number;
  readonly json?: true;
};

/** As many as a run may have at once in one process. */
const LIVE_MAX = 1_000;

/** More than any disk holds: a larger number is a typing mistake. */
const COUNT_MAX = 1_000_000_000;
const BUSY_MAX = 64;

export function registerBench(program: Command, { stdout, argv }: Terminal): void {
  program
    .command("bench")
    .description("measure how fast the kit judges, what it adds to a trial and how much memory it takes")
    .option("--run <folder>", "the run whose traces are copied (default: the largest stored one)")
    .option("--records <n>", "records in the corpus that is judged", wholeNumber(1, COUNT_MAX), 200_000)
    .option("--trials <n>", "trials whose judging is measured for memory", wholeNumber(1, COUNT_MAX), 299)
    .option(
      "--live <n...>",
      "instead of all that: run so many trials of one condition now, and measure what they cost",
      (text: string, before: readonly number[] = []) => [...before, wholeNumber(1, LIVE_MAX)(text)],
    )
    .option("--matrix", "instead of what is stored: run the main experiment, and measure how long it takes")
    .option("--busy <n>", "processes that keep the machine busy meanwhile", wholeNumber(0, BUSY_MAX), 0)
    .option("--json", "print one JSON object: all lines, in their order")
    .action(async ({ json, ...options }: BenchArguments) => {
      // Where a run is measured, the room stays as small as it is for `run`.
      if (options.live === undefined) letYoungGenerationGrow();
      const { bench } = await import("../checks/bench/bench.ts");
      const { textOf } = await import("../checks/bench/bench-lines.ts");
      const commandLine = ["npm run kit --", ...argv].join(" ");
      const lines: BenchLine[] = [];
      for await (const line of bench({ ...options, commandLine }))
        if (json === true) lines.push(line);
        else stdout.write(`${textOf(line)}\n`);
      if (json === true) stdout.write(`${JSON.stringify({ lines }, null, 2)}\n`);
    });
}
