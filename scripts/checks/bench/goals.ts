/**
 * What the kit is meant to reach, beside what was measured. A goal that holds for a number of trials is compared only where so
 * many were run. Leaves measuring to the modules beside it; a goal that is missed fails nothing.
 */

/** `at`: the number of trials that the goal is about; any number where it is null. */
type Goal = { readonly unit: string; readonly at: number | null } & (
  | { readonly most: number }
  | { readonly least: number }
);

/** By what is measured. Of several goals for one figure, each has its own number of trials. */
const GOALS = {
  "wall with start": [
    { unit: "s", most: 70, at: 299 },
    { unit: "s", most: 150, at: 1_000 },
  ],
  "valid trials": [
    { unit: "%", least: 100, at: 299 },
    { unit: "%", least: 100, at: 1_000 },
  ],
  "first trial after": [{ unit: "s", most: 4, at: null }],
  "overhead p50": [
    { unit: "s", most: 1, at: 1 },
    { unit: "s", most: 6, at: 299 },
  ],
  "processor time per trial": [{ unit: "ms", most: 150, at: null }],
  "Workflow steps per trial": [{ unit: "", most: 8, at: null }],
  "ledger requests per trial": [{ unit: "", most: 60, at: null }],
  "peak of the command line": [{ unit: "MB", most: 250, at: 299 }],
  "peak of all processes": [{ unit: "MB", most: 1_200, at: 299 }],
  "matrix, wall": [{ unit: "s", most: 80, at: null }],
  "records judged per second": [{ unit: "", least: 200_000, at: null }],
} as const satisfies Record<string, readonly Goal[]>;

/** `npm test` has a goal too, and measures itself. */
type GoalName = keyof typeof GOALS;

/** A measured value beside its goal. */
export type Compared = {
  readonly what: GoalName;
  readonly unit: string;
  /** Null where this system, or this run, does not tell. */
  readonly measured: number | null;
  /** Null where no goal is about so many trials. */
  readonly goal: { readonly most: number } | { readonly least: number } | null;
  /** Null where there is nothing to compare. */
  readonly met: boolean | null;
};

/** @param trials how many were run; null where the figure is not about a number of trials. */
export function compareWithGoal(what: GoalName, measured: number | null, trials: number | null): Compared {
  const goals: readonly Goal[] = GOALS[what];
  const unit = goals[0]?.unit ?? "";
  const goal = goals.find(({ at }) => at === null || at === trials);
  if (goal === undefined) return { what, unit, measured, goal: null, met: null };
  const met = (value: number) => ("most" in goal ? value <= goal.most : value >= goal.least);
  return {
    what,
    unit,
    measured,
    goal: "most" in goal ? { most: goal.most } : { least: goal.least },
    met: measured === null ? null : met(measured),
  };
}
