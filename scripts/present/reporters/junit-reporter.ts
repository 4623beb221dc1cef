/** Reports as JUnit XML: a suite for each run, a case for each row. */
import { printable } from "../../base/printable.ts";
import { type Report, type ReportRow, rowName } from "./report.ts";

export function junitReport(reports: readonly Report[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...reports.flatMap(suite),
    "</testsuites>",
    "",
  ].join("\n");
}

function suite(report: Report): string[] {
  const { rows, problems } = report;
  const count = (status: ReportRow["status"]) => rows.filter((row) => row.status === status).length;
  const counts = {
    tests: String(rows.length + problems.length),
    failures: String(count("failure")),
    errors: String(count("error") + problems.length),
  };
  const properties = [
    ...report.hosts.map((host) => [
      "host",
      host === null ? "unknown" : `${host.kind} (${host.name} ${host.version})`,
    ]),
    ...report.caveats.map((caveat) => ["caveat", caveat]),
    ...Object.entries(report.versions).map(([name, version]) => [`version.${name}`, version]),
  ];
  return [
    `  <testsuite${attributes({ name: report.name, ...counts })}>`,
    "    <properties>",
    ...properties.map(([name = "", value = ""]) => `      <property${attributes({ name, value })}/>`),
    "    </properties>",
    ...rows.flatMap(testCase),
    // What keeps a run from being whole has no row of its own, and has to be red all the same.
    ...problems.flatMap((problem) => [
      `    <testcase${attributes({ classname: report.name, name: problem })}>`,
      `      <error${attributes({ message: problem })}/>`,
      "    </testcase>",
    ]),
    `    <system-out>${xmlText(report.sentence)}</system-out>`,
    "  </testsuite>",
  ];
}

function testCase(row: ReportRow): string[] {
  const named = attributes({ classname: row.experiment, name: rowName(row) });
  if (row.status === "pass") return [`    <testcase${named}/>`];
  const text = [
    row.sentence,
    `expected: ${row.expectation ?? "nothing in particular"}`,
    `observed: ${row.observation ?? "nothing"}`,
    `trace: ${row.trace ?? "none"}`,
  ];
  return [
    `    <testcase${named}>`,
    `      <${row.status}${attributes({ message: row.sentence })}>${text.map(xmlText).join("\n")}</${row.status}>`,
    "    </testcase>",
  ];
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xmlText(value)}"`)
    .join("");
}

/** Most control characters have no form in XML at all, not even as a reference: they are shown as `\u0001`. */
export function xmlText(text: string): string {
  return printable(text)
    .replace(/[\uFFFE\uFFFF]/g, (found) => `\\u${found.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}
