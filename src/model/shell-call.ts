/**
 * How the model reaches the ledger where the harness offers it a shell and no ledger tool: as a command line with curl,
 * and that command line read back. Everything that only the shell knows stands in it as an environment variable
 * (`src/trace/protocol/shell-protocol.ts`), so that it holds no secret.
 *
 * A shell does not tell its command which call it is. The model made the call's id and writes it down itself.
 */
import { z } from "zod";
import type { AttemptRequest, LookUpRequest } from "../trace/protocol/ledger-protocol.ts";
import {
  ACTIVATION_VARIABLE,
  GENERATION_VARIABLE,
  LEDGER_URL_VARIABLE,
  SECRET_VARIABLE,
  UNKNOWN,
} from "../trace/protocol/shell-protocol.ts";
import type { CallConfig, Decision, LedgerTool } from "./decision.ts";

/** What harnesses call their shell. */
const SHELLS = ["bash", "shell"] as const;

const PATHS: Record<LedgerTool, string> = { ledger_commit: "attempts", ledger_look_up: "look-ups" };

/** Where a call is made, as far as the request tells. */
export type Place = { readonly trial: string; readonly session: string | null };

type Call = Extract<Decision, { kind: "call" }> & {
  readonly call: string;
  readonly payload: string | undefined;
};

/** The shell to use for the ledger; null where there is a ledger tool, or no shell either. */
export function shellAmong(tools: readonly string[]): string | null {
  if (tools.some((name) => ledgerToolNamed(name) !== null)) return null;
  return SHELLS.find((name) => tools.includes(name)) ?? null;
}

/** Arguments of the shell tool. */
export function shellInput(
  call: Call,
  { key }: Pick<CallConfig, "key">,
  place: Place,
): Record<string, string> {
  const url = `$${LEDGER_URL_VARIABLE}/trials/${place.trial}/${PATHS[call.tool]}`;
  const body = call.tool === "ledger_commit" ? attemptOf(call, key, place) : lookUpOf(call, place);
  // The header comes in through a pipe, so that the secret is not among curl's arguments either.
  const command =
    `printf 'header = "authorization: Bearer %s"\\n' "$${SECRET_VARIABLE}" | ` +
    "curl --silent --show-error --fail-with-body --config - --header 'content-type: application/json' " +
    `--data-binary ${body} "${url}"`;
  return { command, description: `${call.tool} ${call.action}` };
}

const ShellArguments = z.object({ command: z.string() });

const TOOLS = Object.keys(PATHS) as LedgerTool[];

/** The ledger tool of that name. Clients put the name of an MCP server before that of its tool. */
export function ledgerToolNamed(name: string): LedgerTool | null {
  return TOOLS.find((tool) => name === tool || name.endsWith(`__${tool}`)) ?? null;
}

/** Which ledger tool a call stands for: the tool itself, or the command in a shell's arguments. */
export function ledgerToolIn(name: string, argumentsText: string): LedgerTool | null {
  const named = ledgerToolNamed(name);
  if (named !== null || !SHELLS.some((shell) => shell === name)) return named;
  const parsed = ShellArguments.safeParse(parseJson(argumentsText));
  if (!parsed.success || !parsed.data.command.includes(`$${LEDGER_URL_VARIABLE}/`)) return null;
  return TOOLS.find((tool) => parsed.data.command.endsWith(`/${PATHS[tool]}"`)) ?? null;
}

function attemptOf(
  { action, key, payload = "", call }: Call,
  source: CallConfig["key"],
  { session }: Place,
): string {
  return quoted({
    action,
    key: source === "call-id" ? call : key,
    payload,
    activation: variable(ACTIVATION_VARIABLE),
    generation: number(GENERATION_VARIABLE),
    session: session ?? UNKNOWN,
    message: UNKNOWN,
    call,
  } satisfies Written<AttemptRequest>);
}

function lookUpOf({ action, key, call }: Call, { session }: Place): string {
  return quoted({
    action,
    key,
    activation: variable(ACTIVATION_VARIABLE),
    session: session ?? UNKNOWN,
    call,
  } satisfies Written<LookUpRequest>);
}

/** A value that the shell puts in. */
type Variable = { readonly name: string; readonly bare: boolean };
type Written<T> = { readonly [K in keyof T]: T[K] | Variable };

const variable = (name: string): Variable => ({ name, bare: false });
/** Without quotation marks around it in the JSON. */
const number = (name: string): Variable => ({ name, bare: true });

/** JSON as one word of a command line, in single quotes with its variables between them. */
function quoted(value: Record<string, string | number | null | Variable>): string {
  const fields = Object.entries(value).map(([name, field]) => {
    if (typeof field !== "object" || field === null)
      return single(`${JSON.stringify(name)}:${JSON.stringify(field)}`);
    const mark = field.bare ? "" : '"';
    return `${single(`${JSON.stringify(name)}:${mark}`)}"$${field.name}"${single(mark)}`;
  });
  return `${single("{")}${fields.join(single(","))}${single("}")}`;
}

function single(text: string): string {
  return text === "" ? "" : `'${text.replaceAll("'", `'\\''`)}'`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
