/**
 * A report as one HTML file that needs nothing else: the page's programs, its style and its data are in it, and it forbids
 * itself to load anything or to run any program but its own.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { ReportModel } from "../../src/report/report-model.ts";

/** By this a report is known, so that no other file is overwritten by one. */
export const MARK = '<meta name="generator" content="opencode-do-recovery-kit report">';
/** Where it stands, from the beginning of the file, in bytes. */
export const MARK_WITHIN = 1_024;

const PROGRAM = fileURLToPath(new URL("../../src/report/page/main.ts", import.meta.url));
const STYLE = fileURLToPath(new URL("../../src/report/page/style.css", import.meta.url));

export async function htmlOf(model: ReportModel): Promise<string> {
  const [program, style] = await Promise.all([programText(), readFile(STYLE, "utf8")]);
  const title = model.runs.map(({ run }) => run).join(" and ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    MARK,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; script-src '${hashOf(program)}'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<noscript>This report is drawn by a program in it, which needs JavaScript. It loads nothing.</noscript>",
    `<script type="application/json" id="report">${dataText(model)}</script>`,
    `<script>${program}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/**
 * JSON that cannot end the element that it stands in, nor be taken for a line break of a program. In ASCII alone, which a
 * browser reads in half of the time.
 */
export function dataText(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u007f-\uffff]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** What zod says in other languages is a third of the page, and nobody asks for it. */
const ENGLISH_ONLY: Plugin = {
  name: "english-only",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    })),
};

/** Each page of an index has the same program. */
let program: Promise<string> | undefined;

function programText(): Promise<string> {
  program ??= bundleProgram();
  return program;
}

async function bundleProgram(): Promise<string> {
  const result = await build({
    entryPoints: [PROGRAM],
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    plugins: [ENGLISH_ONLY],
    write: false,
  });
  const text = result.outputFiles[0]?.text ?? "";
  if (/<\/script|<!--/i.test(text)) throw new Error("the page's program would end its own element");
  return text;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
