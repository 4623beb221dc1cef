/** "Is my tool safe?": of a run of a user's own Worker, the smallest condition that breaks it and what would have prevented that. */
import type { JudgedRun } from "../stored/judge-run.ts";
import type { JudgedTrial } from "../stored/judge-trace.ts";
import type { Page } from "./page.ts";
import { wrap } from "./wrap.ts";

/** Resets by how little they take. */
const SIZE = ["none", "abort", "evict", "kill", "restart", "redeploy", "redeploy-within"];

const sizeOf = ({ spec }: JudgedTrial): number =>
  spec === null ? Number.POSITIVE_INFINITY : SIZE.indexOf(spec.factors.reset) * 100 + spec.factors.resets;

/** None for a run of the kit's own subjects. */
export function ownAnswerLines(run: JudgedRun, { paint, width }: Page): string[] {
  const trials = run.trials.filter(({ environment }) => environment?.own !== undefined);
  const [one] = trials;
  if (one?.environment?.own === undefined) return [];
  const { worker, class: className } = one.environment.own;
  const valid = trials.filter(({ verdict }) => verdict.validity.value === "valid");
  const broken = valid
    .filter(({ verdict }) => verdict.operations.some(({ flags }) => flags.includes("duplicate")))
    .sort((a, b) => sizeOf(a) - sizeOf(b));
  const lost = valid.filter(({ verdict }) => verdict.operations.some(({ flags }) => flags.includes("lost")));
  const said = (text: string) => wrap(text, width, "  ");
  const [smallest] = broken;
  const heading = paint("bold", `Is the tool of ${className} (${worker}) safe?`);
  if (smallest !== undefined)
    return [
      heading,
      ...said(
        `No. The smallest condition that breaks it: ${smallest.spec?.condition} (${broken.length} of ${valid.length} valid trials made too many effects).`,
      ),
      ...said("What would have prevented it:"),
      ...smallest.prevention.flatMap(({ sentence }) => wrap(`- ${sentence}`, width, "    ")),
      "",
    ];
  if (lost.length > 0)
    return [
      heading,
      ...said(`No. It says that work is done which was never done: ${lost[0]?.spec?.condition}.`),
      "",
    ];
  if (valid.length < trials.length || valid.length === 0)
    return [
      heading,
      ...said(`Not known: ${trials.length - valid.length} of ${trials.length} trials are not valid.`),
      "",
    ];
  const losses = valid.filter(({ spec }) => spec?.factors.reset !== "none").length;
  return [
    heading,
    ...said(
      losses === 0
        ? "Not known: nothing was lost in any trial."
        : `None of ${losses} trials with a loss made an effect too many, or none at all that was claimed. That holds for these conditions on this machine.`,
    ),
    "",
  ];
}
