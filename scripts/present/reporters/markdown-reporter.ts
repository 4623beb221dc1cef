/** Reports as Markdown: what was found, then what is red, then counts. */
import { printable } from "../../base/printable.ts";
import { type Report, redFirst, rowName } from "./report.ts";

export function markdownReport(reports: readonly Report[]): string {
  return reports.map(section).join("\n");
}

function section(report: Report): string {
  const { rows, problems, hosts, caveats } = report;
  const red = redFirst(rows).filter(({ status }) => status !== "pass");
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  const named = hosts.map((host) =>
    host === null ? "unknown" : `${host.kind} (${host.name} ${host.version})`,
  );
  return [
    `## ${plain(report.name)}`,
    "",
    plain(report.sentence),
    "",
    `Host: ${plain([...new Set(named)].join(" · "))}. ${plain(caveats.join(" "))}`.trimEnd(),
    "",
    ...problems.flatMap((problem) => [`- ${plain(problem)}`]),
    ...(problems.length === 0 ? [] : [""]),
    ...(red.length === 0
      ? []
      : [
          "| | condition | what | expected | observed | trace |",
          "| --- | --- | --- | --- | --- | --- |",
          ...red
            .map((row) =>
              [
                row.status,
                rowName(row),
                row.sentence,
                row.expectation ?? "–",
                row.observation ?? "–",
                row.trace ?? "–",
              ]
                .map(plain)
                .join(" | "),
            )
            .map((cells) => `| ${cells} |`),
          "",
        ]),
    `${count("pass")} pass, ${count("failure")} differ, ${count("error")} decide nothing.`,
    "",
  ].join("\n");
}

/** As text alone: no mark-up, no link, no cell of its own. */
function plain(text: string): string {
  return printable(text).replace(/[\\`*_[\]<>|#~&!@]/g, (found) => `&#${found.charCodeAt(0)};`);
}
