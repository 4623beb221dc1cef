/**
 * An agent as its user starts it: a command line without a shell, a folder that is its state, a prompt, and how it is offered
 * the ledger. Says what is started for a trial; starting it is command-slot.ts's.
 */
import { statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import type { McpTransport } from "../../../src/own/agent-definition.ts";
import { UserError } from "../../base/user-error.ts";
import { LEDGER_SERVER } from "../mcp/ledger-server.ts";

export type AgentCommand = {
  /** Program and arguments, with their placeholders. */
  readonly argv: readonly string[];
  /** Copied for each trial; null for an empty one. */
  readonly state: string | null;
  readonly prompt: string;
  readonly mcp: McpTransport;
};

/** Stand in arguments for what differs between trials. Without `{prompt}` the prompt is given on standard input. */
export const PLACEHOLDERS = ["{prompt}", "{state}", "{mcp}"] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

/**
 * What an agent without arguments of its own is asked for. The last line is how an answer states what became of it, so that
 * it can be held against the ledger.
 */
export const DEFAULT_PROMPT = [
  "Please record one entry with the text 'recovery trial' in the ledger, exactly once, with the tool ledger_commit.",
  "If you cannot tell whether it was recorded, ledger_look_up says so.",
  "",
  'End your answer with one line that says what became of it: {"claim":"committed"} or {"claim":"not-committed"} or {"claim":"unknown"}.',
].join("\n");

/**
 * The words of a command line as a shell would split them, with quotes and backslashes and nothing else of a shell: a variable, a
 * pipe or a star means itself.
 *
 * @param asked as the user knows it, for what is wrong with it.
 * @throws UserError for none, and for a quote without an end.
 */
export function wordsOf(line: string, asked: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\\" && quote !== "'") {
      word = `${word ?? ""}${line.charAt(++at)}`;
    } else if (quote !== null) {
      if (character === quote) quote = null;
      else word = `${word ?? ""}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = `${word ?? ""}${character}`;
  }
  if (quote !== null) throw new UserError(`${asked}: the quote ${quote} has no end in: ${line}`);
  if (word !== null) words.push(word);
  if (words.length === 0) throw new UserError(`${asked}: give the command that starts the agent`);
  return words;
}

/**
 * The same command where it is started in another folder: a program and arguments that name a file from here are named from
 * everywhere.
 *
 * @throws UserError when there is no such program.
 */
export function anchored(
  words: readonly string[],
  from: string,
  asked: string,
  path = process.env.PATH ?? "",
): string[] {
  const [program = "", ...args] = words;
  const found = findProgram(program, from, path);
  if (found === undefined) throw new UserError(`${asked}: there is no program '${program}'`);
  return [found, ...args.map((arg) => (isFile(resolve(from, arg)) ? resolve(from, arg) : arg))];
}

function findProgram(program: string, from: string, path: string): string | undefined {
  const places = program.includes("/")
    ? [resolve(from, program)]
    : path
        .split(delimiter)
        .map((folder) => join(isAbsolute(folder) ? folder : resolve(from, folder), program));
  return places.find(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export type Started = {
  readonly program: string;
  readonly args: readonly string[];
  /** For its standard input. */
  readonly input: string;
};

/** What is started for one trial. */
export function startOf(
  { argv, prompt }: AgentCommand,
  { state, config }: { readonly state: string; readonly config: string },
): Started {
  const given: Readonly<Record<Placeholder, string>> = {
    "{prompt}": prompt,
    "{state}": state,
    "{mcp}": config,
  };
  // In one pass: what a value contains is no placeholder.
  const filled = (text: string) =>
    text.replaceAll(/\{(?:prompt|state|mcp)\}/g, (name) => given[name as Placeholder]);
  const [program = "", ...args] = argv;
  return {
    program,
    args: args.map(filled),
    input: args.some((arg) => arg.includes("{prompt}")) ? "" : prompt,
  };
}

/** An entry of `mcpServers`. */
export type McpServerEntry =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly type: "http"; readonly url: string };

const Configuration = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

/** The configuration in the form that MCP clients share, beside what stands in it already. @throws when that is none. */
export function configurationWith(existing: string | null, entry: McpServerEntry): string {
  const before = existing === null ? { mcpServers: {} } : Configuration.parse(JSON.parse(existing));
  const mcpServers = { ...before.mcpServers, [LEDGER_SERVER]: entry };
  return `${JSON.stringify({ ...before, mcpServers }, null, 2)}\n`;
}
