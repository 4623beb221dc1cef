/** An index over reports: each run with the first sentences of what was found, and a link to its page beside the index. Pure. */
import { MARK } from "./html-file.ts";

export type Indexed = {
  readonly run: string;
  /** Name of its page, in the index's folder. */
  readonly file: string;
  readonly experiment: string | null;
  readonly found: readonly string[];
  readonly host: string;
  /** What a result on this host is worth; null where nothing limits it. */
  readonly caveat: string | null;
  /** Whether it is as its experiment expects. */
  readonly tone: "good" | "bad" | "open";
};

/** In the colours of the pages that it leads to. */
const STYLE =
  ":root{color-scheme:light dark}" +
  "body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1.5rem;background:light-dark(#fff,#14171c);color:light-dark(#1b1f26,#e4e7ec)}" +
  "h1{font-size:1.35rem}ul{list-style:none;padding:0}a{color:light-dark(#0b57b0,#86b7ff);font-weight:600}" +
  "li{margin:0 0 1.2rem;padding:0 0 0 .9rem;border-left:3px solid;overflow-wrap:anywhere}" +
  "li.good{border-color:light-dark(#1a7f37,#57c777)}li.bad{border-color:light-dark(#c0271d,#ff8a80)}li.open{border-color:light-dark(#96600a,#e9b44c)}" +
  "p{margin:.2rem 0}.host{color:light-dark(#59616e,#9ba4b1)}";
/** The edge of a run in words, for whoever does not see colours. */
const TONES = { good: "as expected", bad: "not as expected", open: "undecided" } as const;

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
      ({ run, file, experiment, found, host, caveat, tone }) =>
        `<li class="${tone}"><a href="${escaped(encodeURIComponent(file))}">${escaped(run)}</a>` +
        `${experiment === null ? "" : ` · ${escaped(experiment)}`} · ${TONES[tone]}` +
        `<p>${escaped(found.join(" "))}</p>` +
        `<p class="host">Host: ${escaped(host)}.${caveat === null ? "" : ` Mind: ${escaped(caveat)}.`}</p></li>`,
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
