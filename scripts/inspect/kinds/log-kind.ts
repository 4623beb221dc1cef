/** The durable log of one session. */
import { z } from "zod";
import {
  inspectLog,
  OLD_SESSION_TABLES,
  type Query,
  readOldLog,
  readStoredLog,
  type SessionTables,
  STORED_SESSION_TABLES,
  sessionsIn,
} from "../../../src/inspect/index.ts";
import { call } from "../../../src/link/call.ts";
import type { LogEvent } from "../../../src/trace/index.ts";
import { PAYLOADS } from "../../../src/trace/payloads.ts";
import { LogResponse } from "../../../src/trace/protocol/subject-protocol.ts";
import { UserError } from "../../base/user-error.ts";
import { sha256 } from "../../local/files/copied-database.ts";
import { type Finding, found } from "../finding-codes.ts";
import type { Change, InspectKind } from "../inspect-kind.ts";
import { tablesIn, unknownLayout } from "../layouts.ts";

const { session, offered, after, events, synced, gaps, duplicates, unreadable, error } =
  PAYLOADS["snapshot.log"].shape;
const LogReading = z.strictObject({
  ...{ session, offered, after, events, synced, gaps, duplicates, unreadable, error },
});
type LogReading = z.infer<typeof LogReading>;

type StoredLog = {
  readonly name: string;
  /** The table that shows that the layout is there. */
  readonly table: string;
  readonly sessions: SessionTables;
  readonly read: typeof readStoredLog;
};
/** Another layout with a log is a line here, and its reader in `src/inspect`. */
const STORED_LOGS: readonly StoredLog[] = [
  { name: "opencode-2", table: "opencode_event", sessions: STORED_SESSION_TABLES, read: readStoredLog },
  { name: "opencode-1.18", table: "event", sessions: OLD_SESSION_TABLES, read: readOldLog },
];
/** Most rows that are told by their place. */
const ROWS_NAMED_MAX = 20;

export const logKind: InspectKind<LogReading> = {
  name: "log",
  description: "a session's durable log: events, cursor, what is missing or open",
  schema: LogReading,
  ofSession: true,
  ofFile: (query, name, asked) => {
    const { tables, error: unlisted } = tablesIn(query);
    if (unlisted !== null) return { reading: nothingOf(asked ?? "(unknown)", unlisted), findings: [] };
    const layout = STORED_LOGS.find(({ table }) => tables.includes(table));
    if (layout === undefined)
      throw unknownLayout(
        name,
        "session log",
        STORED_LOGS.map((one) => one.name),
        tables,
      );
    const { chosen, orphaned } = chooseSession(query, name, layout, asked);
    const { items, error: unread } = layout.read(query, chosen);
    const inspected = inspectLog(items, { after: null, hash: sha256 });
    const rows = items.flatMap((item, index) => (item === null ? [index + 1] : [])).slice(0, ROWS_NAMED_MAX);
    return {
      reading: { session: chosen, offered: true, after: null, ...inspected, error: unread },
      findings: [
        ...(inspected.unreadable === 0 ? [] : [found("undecodable", { count: inspected.unreadable, rows })]),
        ...(orphaned.length === 0 ? [] : [found("session-orphaned", { sessions: orphaned })]),
      ],
    };
  },
  ofRecord: (record) => {
    if (record.type !== "snapshot.log") return null;
    const { session, offered, after, events, synced, gaps, duplicates, unreadable, error } = record;
    return { session, offered, after, events, synced, gaps, duplicates, unreadable, error };
  },
  ofWorker: async (peer, path, signal) => {
    const answer = await call(peer, "GET", `${path}/log`, LogResponse, { signal });
    const { first } = answer;
    const reading = { after: null, hash: sha256, ...(first === undefined ? {} : { first }) };
    return {
      ...{ session: answer.session, offered: answer.offered, after: null },
      ...inspectLog(answer.items, reading),
      error: answer.complete ? null : "reading stopped at the size limit",
    };
  },
  findings: logFindings,
  changes: logChanges,
  summary: (reading) =>
    `session ${reading.session} · events: ${reading.events.length} · ${cursorText(reading)}${reading.after === null ? "" : ` · read on from ${reading.after}`}`,
  listings: ({ events }) => [
    {
      columns: [
        { title: "seq", align: "right", whole: true },
        { title: "event" },
        { title: "call" },
        { title: "tool" },
        { title: "error" },
      ],
      rows: events.map(({ seq, type, call: of, tool, error: why, wrapped }) => [
        String(seq),
        wrapped === true ? `${type} (inside)` : type,
        of ?? "",
        tool ?? "",
        why ?? "",
      ]),
    },
  ],
};

function nothingOf(session: string, error: string): LogReading {
  return {
    ...{ session, offered: true, after: null, events: [], synced: null, gaps: [] },
    ...{ duplicates: [], unreadable: 0, error },
  };
}

/** @throws UserError when it is not there or several are, with those that are. */
function chooseSession(query: Query, name: string, { sessions }: StoredLog, asked: string | undefined) {
  const { registered, orphaned } = sessionsIn(query, sessions);
  const all = [...registered, ...orphaned];
  if (asked !== undefined && !all.includes(asked))
    throw new UserError(`'${name}' has no session '${asked}'; ${theyAre(all)}`);
  const [only] = all;
  if (asked === undefined && all.length !== 1)
    throw new UserError(
      all.length === 0
        ? `'${name}' holds no session`
        : `'${name}' holds ${all.length} sessions: say which with --session; ${theyAre(all)}`,
    );
  return { chosen: asked ?? only ?? "", orphaned };
}

export function theyAre(sessions: readonly string[]): string {
  if (sessions.length === 0) return "it holds none";
  const more = sessions.length > 20 ? ` and ${sessions.length - 20} more` : "";
  return `it holds ${sessions.slice(0, 20).join(", ")}${more}`;
}

/** The cursor and what of it is not sound. What only a file shows, its reader adds. */
function logFindings(reading: LogReading): Finding[] {
  const { offered, error, gaps, duplicates, synced, unreadable } = reading;
  const own = ownEvents(reading.events);
  const last = own.at(-1)?.seq ?? reading.after;
  const isAhead = synced !== null && synced > (last ?? -1);
  const bySeq = Map.groupBy(own, ({ seq }) => seq);
  if (!offered) return [found("log-not-offered", {})];
  return [
    ...(error === null ? [] : [found("reading-error", { error })]),
    ...(unreadable === 0 ? [] : [found("undecodable", { count: unreadable, rows: [] })]),
    ...gaps.map((gap) => found("gap", gap)),
    ...(duplicates.length === 0 ? [] : [found("repeated", { seqs: duplicates })]),
    ...[...bySeq].flatMap(([seq, same]) =>
      same.length > 1 ? [found("number-reused", { seq, events: same.length })] : [],
    ),
    ...(synced === null && error === null ? [found("watermark-missing", {})] : []),
    ...(isAhead ? [found("watermark-ahead", { watermark: synced, last })] : []),
    ...(synced !== null && last !== null && synced < last
      ? [found("watermark-behind", { watermark: synced, last })]
      : []),
    ...callFindings(own, reading.after === null),
  ];
}

const CALL_BEGINS = /(^|\.)tool\.(input\.started|input\.ended|called)$/;
const CALL_ENDS = /(^|\.)tool\.(success|failed)$/;

function callFindings(events: readonly LogEvent[], fromStart: boolean): Finding[] {
  const calls = Map.groupBy(
    events.filter((event) => event.call !== undefined),
    ({ call: of }) => of ?? "",
  );
  return [...calls].flatMap(([of, its]): Finding[] => {
    const begun = its.find(({ type }) => CALL_BEGINS.test(type));
    const ends = [...new Set(its.filter(({ type }) => CALL_ENDS.test(type)).map(({ seq }) => seq))];
    const [end] = ends;
    if (begun !== undefined && end === undefined)
      return [found("call-open", { call: of, tool: begun.tool ?? null, seq: begun.seq })];
    if (end === undefined) return [];
    return [
      ...(begun === undefined && fromStart ? [found("call-orphaned", { call: of, seq: end })] : []),
      ...(ends.length > 1 ? [found("call-ended-twice", { call: of, seqs: ends })] : []),
    ];
  });
}

/** Those with a number of their own. */
function ownEvents(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.filter(({ wrapped }) => wrapped !== true);
}

/** Two readings are compared from where both have read; what came after the end of one is added. */
function logChanges(a: LogReading, b: LogReading): Change[] {
  const from = Math.max(a.after ?? -1, b.after ?? -1) + 1;
  const [ofA, ofB] = [a, b].map(({ events }) =>
    Map.groupBy(
      ownEvents(events).filter(({ seq }) => seq >= from),
      ({ seq }) => seq,
    ),
  );
  const seqs = [...new Set([...(ofA?.keys() ?? []), ...(ofB?.keys() ?? [])])].sort((one, two) => one - two);
  return [
    ...(a.session === b.session ? [] : [{ what: "session", a: a.session, b: b.session }]),
    ...(cursorText(a) === cursorText(b) ? [] : [{ what: "cursor", a: cursorText(a), b: cursorText(b) }]),
    ...seqs.flatMap((seq): Change[] => {
      const [one, two] = [ofA?.get(seq), ofB?.get(seq)];
      if (one !== undefined && two !== undefined && isSame(one, two)) return [];
      return [{ what: `event ${seq}`, a: eventText(one), b: eventText(two) }];
    }),
  ];
}

/** A hash that one of the readings does not give says nothing. */
function isSame(a: readonly LogEvent[], b: readonly LogEvent[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, index) => {
      const two = b[index];
      if (two === undefined || eventText([one]) !== eventText([two])) return false;
      return one.hash === undefined || two.hash === undefined || one.hash === two.hash;
    })
  );
}

function eventText(events: readonly LogEvent[] | undefined): string | null {
  if (events === undefined) return null;
  return events
    .map(({ type, call: of, error: why }) =>
      [type, ...(of === undefined ? [] : [of]), ...(why === undefined ? [] : [why])].join(" "),
    )
    .join("; ");
}

function cursorText({ events, after, synced }: LogReading): string {
  const last = ownEvents(events).at(-1)?.seq ?? after;
  return `cursor ${last ?? "none"}, watermark ${synced ?? "none"}`;
}
