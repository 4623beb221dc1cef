/** What `bench` says, as values, and as the lines that people read. */
import type { Compared } from "./goals.ts";

export type BenchLine =
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "figure"; readonly name: string; readonly value: string }
  | ({ readonly kind: "goal" } & Compared);

export function textOf(line: BenchLine): string {
  switch (line.kind) {
    case "title":
      return `\n${line.title}`;
    case "figure":
      return row(line.name, line.value);
    case "goal": {
      const { what, measured, unit, goal, met } = line;
      const value = measured === null ? "not measured" : amount(measured, unit);
      if (goal === null) return row(what, value);
      const bound =
        "most" in goal ? `at most ${amount(goal.most, unit)}` : `at least ${amount(goal.least, unit)}`;
      const mark = met === null ? "·" : met ? "✓" : "✗";
      return row(what, `${value.padEnd(14)}goal: ${bound.padEnd(20)}${mark}`);
    }
  }
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(28)}${value}`;
}

/** Seconds and small numbers with their fraction, the others whole. */
function amount(value: number, unit: string): string {
  const digits = Number.isInteger(value) || value >= 100 ? 0 : unit === "s" ? 2 : 1;
  const text = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "" ? text : `${text} ${unit}`;
}
