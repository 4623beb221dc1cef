/** What an SQL statement writes, by its text alone: which kind of write, and into which table. */
import type { WriteKind } from "../trace/writes.ts";

type Written = { readonly kind: WriteKind; readonly table: string | null };

/** What is no part of a statement's own words. Names in double quotes stay: they may be a table's. */
const COMMENTS_AND_TEXTS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'/g;
const NAME = String.raw`((?:"[^"]+"|\`[^\`]+\`|\[[^\]]+\]|[\w$]+)(?:\s*\.\s*(?:"[^"]+"|\`[^\`]+\`|\[[^\]]+\]|[\w$]+))?)`;
const IF = String.raw`(?:IF\s+(?:NOT\s+)?EXISTS\s+)?`;

/** In the order in which they are looked for: a statement that begins with `WITH` names its own later. */
const WRITES: readonly (readonly [WriteKind, RegExp])[] = (
  [
    ["insert", String.raw`INSERT\s+(?:OR\s+\w+\s+)?INTO\s+${NAME}`],
    ["replace", String.raw`REPLACE\s+INTO\s+${NAME}`],
    ["update", String.raw`UPDATE\s+(?:OR\s+\w+\s+)?${NAME}\s+(?:AS\s+\w+\s+)?SET\b`],
    ["delete", String.raw`DELETE\s+FROM\s+${NAME}`],
  ] as const
).map(([kind, source]) => [kind, new RegExp(String.raw`\b${source}`, "i")]);
const DEFINITIONS: readonly (readonly [WriteKind, RegExp])[] = (
  [
    ["create", String.raw`CREATE\s+(?:UNIQUE\s+)?INDEX\s+${IF}(?:"[^"]+"|[\w$.]+)\s+ON\s+${NAME}`],
    [
      "create",
      String.raw`CREATE\s+(?:TEMP\s+|TEMPORARY\s+|VIRTUAL\s+)?(?:TABLE|VIEW|TRIGGER)\s+${IF}${NAME}`,
    ],
    ["alter", String.raw`ALTER\s+TABLE\s+${NAME}`],
    ["drop", String.raw`DROP\s+(?:TABLE|INDEX|VIEW|TRIGGER)\s+${IF}${NAME}`],
  ] as const
).map(([kind, source]) => [kind, new RegExp(`^${source}`, "i")]);
const READS = /^(SELECT|VALUES|EXPLAIN|PRAGMA)\b/i;

/** The first write of a text with one statement or several; null where it only reads. */
export function writeIn(sql: string): Written | null {
  for (const part of sql.replace(COMMENTS_AND_TEXTS, " ").split(";")) {
    const statement = part.trim();
    if (statement === "" || READS.test(statement)) continue;
    const written = found(DEFINITIONS, statement) ?? found(WRITES, statement);
    if (written !== null) return written;
    if (!/^WITH\b/i.test(statement)) return { kind: "other", table: null };
  }
  return null;
}

function found(kinds: readonly (readonly [WriteKind, RegExp])[], statement: string): Written | null {
  for (const [kind, pattern] of kinds) {
    const name = pattern.exec(statement)?.[1];
    if (name !== undefined) return { kind, table: bare(name) };
  }
  return null;
}

/** Without its schema and its quotes. */
function bare(name: string): string {
  const last = name.split(/\s*\.\s*(?=["`[\w$])/).at(-1) ?? name;
  return last.replace(/^["`[]|["`\]]$/g, "").slice(0, 200);
}
