/** The reporters by name. One more is a file here and a line. */
import { githubReport } from "./github-reporter.ts";
import { jsonReport } from "./json-reporter.ts";
import { junitReport } from "./junit-reporter.ts";
import { markdownReport } from "./markdown-reporter.ts";
import type { Report } from "./report.ts";

export type Reporter = {
  readonly render: (reports: readonly Report[]) => string;
  /** Where it goes unless a file is named. On `stdout` it stands in place of the text, on `stderr` beside it. */
  readonly stream: "stdout" | "stderr";
  /** Whether a step summary goes with it, where the workflow offers one. */
  readonly stepSummary: boolean;
};

export const REPORTERS = {
  json: { render: jsonReport, stream: "stdout", stepSummary: false },
  junit: { render: junitReport, stream: "stdout", stepSummary: false },
  markdown: { render: markdownReport, stream: "stdout", stepSummary: false },
  github: { render: githubReport, stream: "stderr", stepSummary: true },
} as const satisfies Readonly<Record<string, Reporter>>;
export type ReporterName = keyof typeof REPORTERS;
