/**
 * The prompts of a trial, and the parser by which the scripted model reads them back. A prompt is readable
 * English plus one line for the machine, so that the intended action never depends on wording.
 */
import { Action, ActionKey, TrialId } from "../trace/index.ts";

export type ParsedPrompt =
  | { readonly kind: "operation"; readonly action: string; readonly key: string | null }
  /** What the trial's script is for. */
  | { readonly kind: "task" }
  | { readonly kind: "probe" };

/** Keys of these characters stand in the line as they are; any other is written as a JSON string. */
const PLAIN_KEY = /^[A-Za-z0-9._:~-]+$/;
const PROBE_LINE = "PROBE";
const PROBE_TEXT = "Please answer with a short greeting. Do not use any tool.";

/** The prompt of the operation under test. */
export function operationPrompt(intended: { action: string; key: string | null }): string {
  const action = Action.parse(intended.action);
  const key = intended.key === null ? null : ActionKey.parse(intended.key);
  return [
    `Please record the action ${action} in the ledger, exactly once, and say what became of it.`,
    key === null ? "Use the tool ledger_commit." : "Use the tool ledger_commit with the key given below.",
    "",
    `ACTION ${action}${key === null ? "" : ` KEY ${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}`}`,
  ].join("\n");
}

/**
 * Tells a prompt's trial and what it is for wherever an agent puts it: among words of its own, on a line with them, in JSON. No
 * character of it is written otherwise there.
 */
const MARKER = /\[recovery-kit (task|probe) ([a-z0-9._-]+)\]/g;

function marked(text: string, kind: "task" | "probe", trial: string): string {
  return `${text}\n\n[recovery-kit ${kind} ${TrialId.parse(trial)}]`;
}

/** The prompt of the operation in an agent with tools of its own. */
export function taskPrompt(prompt: string, trial: string): string {
  return marked(prompt, "task", trial);
}

/** The trial that a prompt in the text is of; null where none says so. */
export function trialInPrompt(text: string): string | null {
  return lastMarker(text)?.[2] ?? null;
}

function lastMarker(text: string): RegExpExecArray | undefined {
  return [...text.matchAll(MARKER)].findLast(([, , trial]) => TrialId.safeParse(trial).success);
}

/** The prompt of the later operation which shows that the session still takes work. It asks for no tool. */
export function probePrompt(): string {
  return [PROBE_TEXT, "", PROBE_LINE].join("\n");
}

/** The same for an agent with tools of its own. */
export function markedProbePrompt(trial: string): string {
  return marked(PROBE_TEXT, "probe", trial);
}

/**
 * The prompt of a client that asks an idle session to go on. It names no action, so that the operation stays the newest
 * request and what became of its calls stays the newest news.
 */
export function followUpPrompt(): string {
  return "Please go on with it.";
}

/** Reads a prompt back; null when the text has no such line and no marker. The last that fits decides, a marker first. */
export function parsePrompt(text: string): ParsedPrompt | null {
  const marker = lastMarker(text);
  if (marker !== undefined) return { kind: marker[1] === "probe" ? "probe" : "task" };
  for (const line of text.split("\n").reverse()) {
    const parsed = parseLine(line.trim());
    if (parsed !== null) return parsed;
  }
  return null;
}

function parseLine(line: string): ParsedPrompt | null {
  if (line === PROBE_LINE) return { kind: "probe" };
  const match = /^ACTION (\S+)(?: KEY (.+))?$/.exec(line);
  const action = Action.safeParse(match?.[1]);
  if (!action.success) return null;
  const written = match?.[2];
  if (written === undefined) return { kind: "operation", action: action.data, key: null };
  const key = ActionKey.safeParse(PLAIN_KEY.test(written) ? written : parseJson(written));
  return key.success ? { kind: "operation", action: action.data, key: key.data } : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
