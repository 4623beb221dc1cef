/**
 * Shows a rejected value as its author wrote it, with each complaint under the value that it is about. Parts without
 * a complaint are shortened.
 */
import type { z } from "zod";

type Complaint = { readonly path: readonly PropertyKey[]; readonly message: string };

export function showComplaints(value: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const complaints = issues.flatMap(locate);
  return draw(value, complaints, "  ").join("\n");
}

/** An unknown key is complained about under the key itself, not under the object that has it. */
function locate(issue: z.core.$ZodIssue): Complaint[] {
  if (issue.code !== "unrecognized_keys") return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: "there is no such field" }));
}

/** The lines of one value; the caller puts the key before the first of them. */
function draw(value: unknown, complaints: readonly Complaint[], indent: string): string[] {
  if (complaints.length === 0) return [indent + shorten(value)];
  const here = complaints.filter(({ path }) => path.length === 0 || !isContainer(value));
  const inside = complaints.filter((complaint) => !here.includes(complaint));
  const whole = shorten(value, 90);
  const lines =
    isContainer(value) && inside.length > 0 ? drawContainer(value, inside, indent) : [indent + whole];
  const width = lines.length === 1 ? whole.length : 1;
  return [...lines, ...here.map(({ message }) => mark(indent, width, message))];
}

function drawContainer(value: object, complaints: readonly Complaint[], indent: string): string[] {
  const list = Array.isArray(value);
  const keys = [...Object.keys(value), ...missingKeys(value, complaints)];
  const lines = keys.flatMap((key) => {
    const own = complaints
      .filter(({ path }) => String(path[0]) === key)
      .map(({ path, message }) => ({ path: path.slice(1), message }));
    const label = list ? "" : `${key}: `;
    const inner = `${indent}  `;
    if (!(key in value))
      return [
        `${inner}${label}`,
        ...own.map(({ message }) => mark(inner, label.length - 1, `missing: ${message}`)),
      ];
    const [first = "", ...rest] = draw(Reflect.get(value, key), own, inner);
    const shifted = rest.map((line) =>
      line.startsWith(`${inner}^`) ? inner + " ".repeat(label.length) + line.slice(inner.length) : line,
    );
    return [inner + label + first.slice(inner.length), ...shifted];
  });
  return [indent + (list ? "[" : "{"), ...lines, indent + (list ? "]" : "}")];
}

function missingKeys(value: object, complaints: readonly Complaint[]): string[] {
  const named = complaints.map(({ path }) => String(path[0]));
  return [...new Set(named)].filter((key) => !(key in value));
}

function mark(indent: string, width: number, message: string): string {
  return `${indent}${"^".repeat(Math.max(1, width))} ${message}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function shorten(value: unknown, widthMax = 60): string {
  if (Array.isArray(value) && value.some(isContainer)) return `[ ${value.length} × … ]`;
  const text = JSON.stringify(value) ?? String(value);
  if (text.length <= widthMax) return text;
  return Array.isArray(value) ? "[ … ]" : isContainer(value) ? "{ … }" : `${text.slice(0, widthMax)}…"`;
}
