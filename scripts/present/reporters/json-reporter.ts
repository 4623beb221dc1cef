/** Reports as JSON, one line for each (`traces/schema/report.json`). */
import { printableJson } from "../../base/printable.ts";
import { Report } from "./report.ts";

export function jsonReport(reports: readonly Report[]): string {
  return reports.map((report) => `${printableJson(Report.parse(report))}\n`).join("");
}
