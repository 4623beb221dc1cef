/**
 * Finds the citations in a text and says which of them lead nowhere. Pure: the text and what may be cited come in.
 * The forms are those of CONTRIBUTING.md, "Citations". Leaves reading the files to the test.
 */
import { posix } from "node:path";

/** What a citation may lead to. */
export type Citable = {
  /** Every file of the repository, from its root, with `/` between folders. */
  readonly files: ReadonlySet<string>;
  readonly npmScripts: ReadonlySet<string>;
  /** Headings by page. */
  readonly headings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly contract: Contract;
};

/** The numbers by which the host contract is cited: its sections, and the numbered rows and items inside some. */
type Contract = {
  readonly sections: ReadonlySet<string>;
  readonly items: ReadonlyMap<string, Set<string>>;
};

const ITEM_NAMES: Readonly<Record<string, string>> = { row: "9.3", rows: "9.3", question: "15", check: "14" };

export function readContract(page: string): Contract {
  const sections = new Set<string>();
  const items = new Map<string, Set<string>>();
  let current = "";
  for (const line of page.split("\n")) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)[. ]/.exec(line)?.[1];
    if (heading !== undefined) {
      current = heading;
      sections.add(heading);
    }
    const item = /^(?:\| (\d+) \||(\d+)\. )/.exec(line);
    const number = item?.[1] ?? item?.[2];
    if (number !== undefined) items.set(current, (items.get(current) ?? new Set()).add(number));
  }
  return { sections, items };
}

export function headingsOf(page: string): Set<string> {
  return new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!.trim()));
}

/** Citations of a page or a program that lead nowhere, one sentence each. */
export function danglingIn(path: string, text: string, citable: Citable): string[] {
  const flat = joined(text);
  const complaints = [...danglingSections(flat, citable.contract), ...danglingPages(flat, citable)];
  if (path.endsWith(".md"))
    complaints.push(...danglingPaths(path, text, citable), ...danglingCommands(text, citable));
  else complaints.push(...danglingNames(commentsOf(text), citable));
  return complaints.map((complaint) => `${path}: ${complaint}`);
}

/** A list as the `section` field of a contract case has it: `4.2, 9.3 rows 6 and 7`. */
export function danglingList(list: string, contract: Contract): string[] {
  const { complaints, length } = readList(list, contract);
  return length === list.length ? complaints : [...complaints, `'${list}' is no list of sections`];
}

/** Lines put together, so that a citation may be broken across the lines of a comment or a paragraph. */
function joined(text: string): string {
  return text.replace(/\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*/g, " ");
}

function danglingSections(text: string, contract: Contract): string[] {
  return [...text.matchAll(/(\bhost contract, )?\bsections? (?=\d)/gi)].flatMap((found) => {
    const start = found.index + found[0].length;
    const list = readList(text.slice(start, start + 200), contract);
    const cited = text.slice(found.index, start + list.length);
    if (found[1] === undefined)
      return [`'${cited}' does not say of what: write 'host contract, ${cited.toLowerCase()}'`];
    return list.complaints.map((complaint) => `'${cited}': ${complaint}`);
  });
}

/** Reads `4.5 (headers), 9.3 rows 6 and 7 and 15, question 2`, as far as it goes on like that. */
function readList(text: string, { sections, items }: Contract): { complaints: string[]; length: number } {
  const complaints: string[] = [];
  let length = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = new RegExp(`^(?:${pattern.source})`).exec(text.slice(length));
    if (found !== null) length += found[0].length;
    return found;
  };
  do {
    const section = take(/\d+(?:\.\d+)?/)?.[0];
    if (section === undefined) break;
    if (!sections.has(section)) complaints.push(`the host contract has no section ${section}`);
    const item = take(/,? (rows?|question|check) (\d+)(?: (?:and|to) (\d+))?/);
    for (const number of [item?.[2], item?.[3]]) {
      if (item === null || number === undefined) continue;
      const within = ITEM_NAMES[item[1]!];
      if (within !== section) complaints.push(`a ${item[1]} belongs to section ${within}`);
      if (items.get(section)?.has(number) !== true)
        complaints.push(`section ${section} has no ${item[1]} ${number}`);
    }
    take(/ \([^)]*\)/);
  } while (take(/(?:, and |, | and | to )(?=\d)/) !== null);
  return { complaints, length };
}

/** `docs/trial.md`, and `docs/trial.md, "Phases"`. */
function danglingPages(text: string, { files, headings }: Citable): string[] {
  const pages = /(?<![\w/-])((?:docs\/[\w/-]+|README|CONTRIBUTING)\.md)`?(?:, "([^"]+)")?/g;
  return [...text.matchAll(pages)].flatMap(([, page, heading]) => {
    if (!files.has(page!)) return [`there is no ${page}`];
    if (heading === undefined || headings.get(page!)?.has(heading) === true) return [];
    return [`${page} has no heading '${heading}'`];
  });
}

/** Backticked paths and the targets of links. A name with a placeholder (`traces/<run>`) is no path. */
function danglingPaths(page: string, text: string, { files }: Citable): string[] {
  const folders = new Set([...files].flatMap((file) => parentsOf(file)));
  const roots = new Set([...files].map((file) => file.split("/")[0]!));
  const baseNames = new Set([...files].map(baseName));
  const quoted = [...text.matchAll(/`([\w.@+-]+(?:\/[\w.@+-]+)*\/?)`/g)].map(([, path]) => path!);
  const linked = [...text.matchAll(/\]\((?!\w+:|#)([^)#]+)[^)]*\)/g)].map(([, path]) => path!);
  const isKnown = (path: string) => files.has(path) || folders.has(path.replace(/\/$/, ""));
  const isOurs = (path: string) => path.includes("/") && roots.has(path.split("/")[0]!);
  const isModule = (path: string) => !path.includes("/") && /[^.]\.(?:ts|mjs|jsonc)$/.test(path);
  return [
    ...quoted.filter((path) => isOurs(path) && !isKnown(path)),
    ...quoted.filter((path) => isModule(path) && !baseNames.has(path)),
    // A link is followed from the page that it stands on, as a browser does.
    ...linked.filter((path) => !isKnown(posix.join(posix.dirname(page), path))),
  ].map((path) => `there is no ${path}`);
}

function danglingCommands(text: string, { npmScripts }: Citable): string[] {
  return [...text.matchAll(/\bnpm run (?:-s )?([\w:-]*\w)/g)]
    .filter(([, script]) => !npmScripts.has(script!))
    .map(([command]) => `package.json has no script for '${command}'`);
}

/**
 * Files that a comment names (`payloads.ts`): some file of the repository has to be called that. Folders that it names from
 * the root (`src/trace`), or from the root of a Worker's own folder, have to be there.
 */
function danglingNames(comments: string, { files }: Citable): string[] {
  const baseNames = new Set([...files].map(baseName));
  const folders = [...new Set([...files].flatMap((file) => parentsOf(file)))];
  const named = [...comments.matchAll(/(?<![\w{}./*-])(?:[\w.-]+\/)*\w[\w.-]*\.(?:ts|mjs|jsonc)\b/g)]
    .map(([name]) => name)
    .filter((name) => !baseNames.has(baseName(name)));
  const placed = [
    ...comments.matchAll(
      /(?<![\w@{}./*-])(?:src|scripts|docs|experiments|tests)(?:\/[\w-]+)+(?![\w/*<{-]|\.\w)/g,
    ),
  ]
    .map(([name]) => name)
    .filter((name) => !folders.some((folder) => folder === name || folder.endsWith(`/${name}`)));
  return [
    ...named.map((name) => `a comment names ${name}, and no file is called that`),
    ...placed.map((name) => `a comment names ${name}, and there is no such folder`),
  ];
}

function commentsOf(program: string): string {
  const lines = program.split("\n").map((line) => /^\s*(?:\/\*\*?|\*)(.*)$|(?:^|\s)\/\/ (.*)$/.exec(line));
  return lines.map((found) => found?.[1] ?? found?.[2] ?? "").join("\n");
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentsOf(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
