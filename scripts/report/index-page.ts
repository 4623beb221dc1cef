/** An index over reports: each run with the first sentences of what was found, and a link to its page beside the index. Pure. */
import { MARK } from "./html-file.ts";

export type Indexed = {
  readonly run: string;
  /** Name of its page, in the index's folder. */
  readonly file: string;
  readonly experiment: string | null;
  readonly found: readonly string[];
};

const STYLE =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}" +
  "li{margin:0 0 1rem}p{margin:.2rem 0}";

export function indexPage(runs: readonly Indexed[]): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    MARK,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>Runs</title>",
    `<style>${STYLE}</style>`,
    "</head>",
    "<body>",
    `<h1>${runs.length} ${runs.length === 1 ? "run" : "runs"}</h1>`,
    "<ul>",
    ...runs.map(
      ({ run, file, experiment, found }) =>
        `<li><a href="${escaped(encodeURIComponent(file))}">${escaped(run)}</a>` +
        `${experiment === null ? "" : ` · ${escaped(experiment)}`}<p>${escaped(found.join(" "))}</p></li>`,
    ),
    "</ul>",
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}
