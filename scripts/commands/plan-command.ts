/** `plan --rate 5%`: how many trials it takes to see what is rare, and what so many trials without an event show. */
import { type Command, InvalidArgumentError } from "commander";
import { chanceToSee, samplesForRate, zeroEventBound } from "../../src/summarize/index.ts";
import { percentText } from "../present/numbers.ts";
import { pageFor } from "../present/page.ts";
import { renderTextTable } from "../present/text-table.ts";
import { wrap } from "../present/wrap.ts";
import type { Terminal } from "./terminal.ts";

type PlanOptions = {
  readonly rate: number;
  readonly confidence: number;
  readonly json?: true;
};

/** Shown beside the number that was asked for. */
const ROUND_NUMBERS = [1, 10, 20, 30, 59, 100, 299, 500, 1_000];

export function registerPlan(program: Command, terminal: Terminal): void {
  program
    .command("plan")
    .description("how many trials are needed to see a rate, and what trials without an event show")
    .requiredOption("--rate <rate>", "the rate to be able to see: 5%, 0.05 or 1/20", rate)
    .option("--confidence <share>", "chance of seeing it: 95%, 0.95", confidence, 0.95)
    .option("--json", "print one JSON object instead of the table")
    .action((options: PlanOptions) => {
      const { stdout } = terminal;
      const trials = samplesForRate(options.rate, options.confidence);
      if (!Number.isSafeInteger(trials) || trials > 1e9)
        throw new InvalidArgumentError(
          "So rare a rate needs more trials than anyone can run; give a higher one.",
        );
      const rows = [...new Set([...ROUND_NUMBERS, trials])]
        .sort((a, b) => a - b)
        .map((n) => ({
          trials: n,
          chanceToSee: chanceToSee(options.rate, n),
          boundWithoutEvent: zeroEventBound(n, options.confidence),
        }));
      if (options.json === true) {
        const { rate: asked, confidence: share } = options;
        stdout.write(`${JSON.stringify({ rate: asked, confidence: share, trials, table: rows })}\n`);
      } else stdout.write(`${planText(options, trials, rows, pageFor(stdout).width)}\n`);
    });
}

function planText(
  { rate: asked, confidence: share }: PlanOptions,
  trials: number,
  rows: readonly { trials: number; chanceToSee: number; boundWithoutEvent: number }[],
  width: number,
): string {
  const percent = plainText(share);
  const wanted = plainText(asked);
  const table = renderTextTable({
    columns: ["trials", `sees ${wanted} with`, "without an event, at most"].map((title) => ({ title })),
    rows: rows.map((row) => [
      row.trials === trials ? `${row.trials} *` : `${row.trials}`,
      row.chanceToSee > 0.999 && asked < 1 ? ">99.9%" : percentText(row.chanceToSee, "down"),
      percentText(row.boundWithoutEvent, "up"),
    ]),
    width,
    gap: 3,
  });
  return [
    ...wrap(
      `* ${trials} trials show at least one event of rate ${wanted} with ${percent} confidence; if they show ` +
        `none, the rate is at most ${percentText(zeroEventBound(trials, share), "up")} (exact, one-sided ${percent}).`,
      width,
    ),
    "",
    table,
    "",
    ...wrap(
      "Trials must be independent: those that one process reset takes away together count once. To run them: " +
        `npm run matrix -- --only <factor=level,…> --repeats ${trials}`,
      width,
    ),
  ].join("\n");
}

/** A share as it was asked for. */
function plainText(share: number): string {
  return `${Number((share * 100).toPrecision(3))}%`;
}

function rate(text: string): number {
  const share = shareOf(text);
  if (share === null || share <= 0 || share > 1)
    throw new InvalidArgumentError("Give a rate above 0 and at most 1, such as 5%, 0.05 or 1/20.");
  return share;
}

function confidence(text: string): number {
  const share = shareOf(text);
  if (share === null || share <= 0 || share >= 1)
    throw new InvalidArgumentError("Give a share between 0 and 1, such as 95% or 0.95.");
  return share;
}

const NUMBER = String.raw`(\d+(?:\.\d+)?|\.\d+)`;

/** `5%`, `0.05` or `1/20`; null when it is none of these. */
function shareOf(text: string): number | null {
  const [, percent] = new RegExp(`^${NUMBER} ?%$`).exec(text) ?? [];
  if (percent !== undefined) return Number(percent) / 100;
  const [, part, whole] = new RegExp(`^${NUMBER}/${NUMBER}$`).exec(text) ?? [];
  if (part !== undefined && whole !== undefined) return Number(part) / Number(whole);
  return new RegExp(`^${NUMBER}$`).test(text) ? Number(text) : null;
}
