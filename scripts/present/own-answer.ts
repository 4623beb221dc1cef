/** "Is my tool safe?" as text, above the commands that look again. */
import type { JudgedRun } from "../stored/judge-run.ts";
import type { Page } from "./page.ts";
import { safetyOf } from "./safety.ts";
import { wrap } from "./wrap.ts";

/** None for a run of the kit's own subjects. */
export function ownAnswerLines(run: JudgedRun, { paint, width }: Page): string[] {
  const safety = safetyOf(run);
  if (safety === null) return [];
  const { question, sentence, prevention } = safety;
  return [
    paint("bold", question),
    ...wrap(sentence, width, "  "),
    ...(prevention.length === 0
      ? []
      : [
          ...wrap("What would have prevented it:", width, "  "),
          ...prevention.flatMap((text) => wrap(`- ${text}`, width, "    ")),
        ]),
    "",
  ];
}
