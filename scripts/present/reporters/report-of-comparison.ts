/** Two runs compared as a report: one row for each condition, red where the second differs from its baseline. Pure. */
import type { Comparison } from "../../../src/summarize/comparison.ts";
import type { Tally } from "../../../src/trace/counts.ts";
import type { JudgedRun } from "../../stored/judge-run.ts";
import type { ExitCode } from "../../stored/outcome.ts";
import { sentencesOf } from "../regressions.ts";
import { REPORT_SCHEMA, type Report, type ReportRow } from "./report.ts";
import { versionsOf } from "./report-of-run.ts";

type Compared = Comparison["conditions"][number];

export function reportOfComparison(
  comparison: Comparison,
  run: JudgedRun,
  { exitCode, problems }: { exitCode: ExitCode; problems: readonly string[] },
): Report {
  const { runs, hosts, caveats, conditions, only, commonOnly, environment } = comparison;
  const experiment = run.experiment ?? "unknown";
  const missing = (condition: string, has: string, lacks: string): ReportRow => ({
    experiment,
    condition,
    repeat: null,
    status: commonOnly ? "pass" : "failure",
    sentence: `Only run ${has} has a valid trial of this condition; run ${lacks} has none.`,
    expectation: null,
    observation: null,
    trace: run.folder,
  });
  const rows = [
    ...conditions.map((one) => rowOf(one, experiment, run.folder)),
    ...only.a.map((name) => missing(name, runs.a, runs.b)),
    ...only.b.map((name) => missing(name, runs.b, runs.a)),
  ];
  const red = rows.filter(({ status }) => status !== "pass").length;
  const changed = environment.map(({ what, a, b }) => `${what} ${a ?? "none"} → ${b ?? "none"}`);
  return {
    schema: REPORT_SCHEMA,
    kind: "comparison",
    name: `${runs.b} against the baseline ${runs.a}`,
    hosts: [hosts.a, hosts.b],
    caveats: [...new Set([caveats.a, caveats.b].filter((caveat) => caveat !== null))],
    versions: versionsOf(run),
    sentence: [
      red === 0
        ? "No condition differs from the baseline."
        : `${red} of ${rows.length} conditions differ from the baseline.`,
      ...(changed.length === 0 ? [] : [`Versions and source: ${changed.join(", ")}.`]),
    ].join(" "),
    rows,
    problems: [...problems],
    exitCode,
  };
}

function rowOf(one: Compared, experiment: string, folder: string): ReportRow {
  const asked = one.kinds.length > 0 ? one.kinds : Object.keys(one.answers).slice(0, 3);
  const told = (run: "a" | "b") =>
    asked.map((key) => `${key}=${tallyText(one.answers[key]?.[run] ?? {})}`).join(", ");
  return {
    experiment,
    condition: one.condition,
    repeat: null,
    status: one.differs ? "failure" : "pass",
    sentence: sentencesOf(one).join("; "),
    expectation: `as in the baseline: ${told("a")}`,
    observation: told("b"),
    trace: folder,
  };
}

function tallyText(tally: Tally): string {
  return (
    Object.entries(tally)
      .map(([value, count]) => `${value}×${count}`)
      .join("|") || "none"
  );
}
