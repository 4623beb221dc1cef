/** What an upgrade changes of what is stored, in sentences: by subject, and of each kind of change as many as can be read. Pure. */
import type { UpgradePart } from "../../src/report/report-model.ts";
import type { StoredChange } from "../../src/summarize/stored-changes.ts";

/** Of one kind; the rest is counted. */
const SHOWN_MAX = 12;

/** Subjects whose storage changes alike stand together: what several have in common is told once. */
export function storedChangeSentences(
  changes: readonly StoredChange[],
): UpgradePart["stored"][number]["subjects"] {
  const told = changes.flatMap((change) => sentencesOf(change).map((text) => ({ text, by: change.subject })));
  const bySentence = Map.groupBy(told, ({ text }) => text);
  const bySubjects = Map.groupBy(bySentence, ([, all]) => all.map(({ by }) => by).join(", "));
  return [...bySubjects].map(([subjects, sentences]) => ({
    subjects,
    sentences: sentences.map(([text]) => text),
  }));
}

function sentencesOf(change: StoredChange): string[] {
  const { tables, eventTypes, emptied, undecodable, notCompared } = change;
  // Indexes come and go with their table.
  const whole = new Set([...tables.gone, ...tables.new]);
  const indexes = change.indexes.filter(({ table }) => !whole.has(table));
  const kinds = [
    ["rows gone: every one of", emptied.map(({ table, rows }) => `${table} (had ${rows})`)],
    ["rows that cannot be decoded", undecodable],
    ["tables", signed(tables)],
    ["columns", change.columns.map((one) => changed(`${one.table}.${one.column}`, one))],
    ["indexes", indexes.map((one) => changed(`${one.table}.${one.index}`, one, "on"))],
    [
      "migrations",
      change.migrations.map(
        ({ table, before, after }) => `${table}: ${migrationsText(before)} → ${migrationsText(after)}`,
      ),
    ],
    [
      "event types",
      [
        ...signed(eventTypes),
        ...eventTypes.changed.map(
          ({ type, before, after }) => `${type}: version ${versions(before)} → ${versions(after)}`,
        ),
      ],
    ],
    ["columns not told, so not compared", notCompared],
  ] as const;
  return kinds.flatMap(([what, found]) => (found.length === 0 ? [] : [`${what}: ${listed(found)}`]));
}

function listed(found: readonly string[]): string {
  const shown = found.slice(0, SHOWN_MAX).join(", ");
  const more = found.length - SHOWN_MAX;
  return more > 0 ? `${shown}, and ${more} more (--json shows them)` : shown;
}

function signed({ gone, new: added }: { readonly gone: readonly string[]; readonly new: readonly string[] }) {
  return [...gone.map((name) => `− ${name}`), ...added.map((name) => `+ ${name}`)];
}

type BeforeAfter = { readonly before: string | null; readonly after: string | null };

function changed(name: string, { before, after }: BeforeAfter, link = ""): string {
  const text = (declaration: string) => `${link === "" ? "" : `${link} `}(${declaration})`;
  if (before === null) return `+ ${name} ${text(after ?? "")}`;
  if (after === null) return `− ${name} ${text(before)}`;
  return `${name} ${text(before)} → ${text(after)}`;
}

function migrationsText({ rows, last }: StoredChange["migrations"][number]["before"]): string {
  return `${rows ?? "unknown"} (last ${last ?? "unknown"})`;
}

function versions(all: readonly (number | null)[]): string {
  return all.map((version) => version ?? "none").join(" and ");
}
