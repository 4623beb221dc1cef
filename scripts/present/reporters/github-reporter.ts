/** Reports as annotations of a GitHub workflow: one for each red row and each problem. */
import { type Report, redFirst, rowName } from "./report.ts";

export function githubReport(reports: readonly Report[]): string {
  return reports.flatMap(annotations).join("");
}

function annotations({ name, rows, problems }: Report): string[] {
  return [
    ...redFirst(rows)
      .filter(({ status }) => status !== "pass")
      .map((row) =>
        annotation(
          rowName(row),
          [
            row.sentence,
            `expected: ${row.expectation ?? "nothing in particular"}`,
            `observed: ${row.observation ?? "nothing"}`,
            `trace: ${row.trace ?? "none"}`,
          ].join("\n"),
        ),
      ),
    ...problems.map((problem) => annotation(name, problem)),
  ];
}

function annotation(title: string, message: string): string {
  return `::error title=${property(title)}::${data(message)}\n`;
}

/** GitHub's own rules for a command's message, and for its properties. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
