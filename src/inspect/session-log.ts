/**
 * Raw items of a session's durable log in, observations out: the events in order of `seq`, and what is wrong
 * with the reading (gaps, repeats, items that are no events). Unknown event types are kept.
 *
 * Leaves to others: reading the log (subject), going on from a cursor (log-cursor.ts), opinions (reconcile).
 */
import type { HashText, LogEvent } from "../trace/index.ts";
import { contentHash } from "./content-hash.ts";
import { asCount, asObject, asText } from "./foreign.ts";
import type { Range } from "./ranges.ts";

/** A run of missing sequence numbers, both ends included. */
export type Gap = Range;

export type LogInspection = {
  readonly events: LogEvent[];
  /** Watermark of the marker: the aggregate's last seq when the read began; -1 for an empty log; null without marker. */
  readonly synced: number | null;
  readonly gaps: Gap[];
  /** Sequence numbers that came more than once. */
  readonly duplicates: number[];
  /** Items that are neither an event of this log nor its marker. */
  readonly unreadable: number;
};

const MARKER = "log.synced";
/** Sequence numbers begin here in a log that is read from the start, unless its keeper says otherwise. */
const FIRST_SEQ = 0;

type Decoded = { readonly id: string | null; readonly outer: LogEvent; readonly nested: readonly LogEvent[] };

type LogReading = {
  /** The cursor that the items were read after; null from the start. */
  readonly after: number | null;
  readonly first?: number;
  /** Without it, events carry no hash. */
  readonly hash?: HashText;
};

export function inspectLog(
  items: readonly unknown[],
  { after, first = FIRST_SEQ, hash }: LogReading,
): LogInspection {
  const bySeq = new Map<number, Decoded[]>();
  const duplicates = new Set<number>();
  const toolNames = new Map<string, string>();
  const { envelopes, synced, unreadable } = readEnvelopes(items);
  for (const envelope of envelopes) {
    const decoded = decodeEvent(envelope, toolNames, hash);
    const known = bySeq.get(envelope.seq) ?? [];
    if (known.length > 0) duplicates.add(envelope.seq);
    // The same event again adds nothing; another event under the same number, or the same with another content, is kept
    // beside the first.
    if (!known.some((other) => isSame(other, decoded))) bySeq.set(envelope.seq, [...known, decoded]);
  }
  const seqs = [...bySeq.keys()].sort((a, b) => a - b);
  return {
    events: seqs.flatMap((seq) => (bySeq.get(seq) ?? []).flatMap(({ outer, nested }) => [outer, ...nested])),
    synced,
    gaps: gapsIn(seqs, after === null ? first : after + 1, synced),
    duplicates: [...duplicates].sort((a, b) => a - b),
    unreadable,
  };
}

/**
 * Sequence numbers that came after a higher one, in order of arrival. The inspection puts events in order, so
 * that this is the only trace of a log that was not.
 */
export function findDisorder(items: readonly unknown[]): number[] {
  let highest = -1;
  return readEnvelopes(items).envelopes.flatMap(({ seq }) => {
    const late = seq < highest;
    highest = Math.max(highest, seq);
    return late ? [seq] : [];
  });
}

type Envelope = {
  readonly seq: number;
  readonly type: string;
  readonly version: number | null;
  readonly item: Record<string, unknown>;
};

/** Tells events from the marker, and both from items that are neither or belong to another aggregate. */
function readEnvelopes(items: readonly unknown[]) {
  const envelopes: Envelope[] = [];
  let aggregate: string | null = null;
  let synced: number | null = null;
  let unreadable = 0;
  for (const value of items) {
    const item = asObject(value);
    const type = asText(item?.type, 200);
    const isMarker = type === MARKER;
    const stamp = isMarker ? item : asObject(item?.durable);
    const owner = asText(stamp?.aggregateID, 200);
    // The marker of an empty log has no seq.
    const seq = isMarker && (stamp?.seq ?? null) === null ? -1 : asCount(stamp?.seq);
    if (item === null || type === null || seq === null || (aggregate ?? owner) !== owner) {
      unreadable += 1;
      continue;
    }
    aggregate = owner;
    if (isMarker) synced = seq;
    else envelopes.push({ seq, type, version: asCount(stamp?.version), item });
  }
  return { envelopes, synced, unreadable };
}

/** Gaps of ascending numbers that ought to begin at `first` and to reach the watermark. */
function gapsIn(seqs: readonly number[], first: number, synced: number | null): Gap[] {
  const gaps: Gap[] = [];
  let expected = first;
  for (const seq of seqs) {
    if (seq > expected) gaps.push({ from: expected, to: seq - 1 });
    expected = Math.max(expected, seq + 1);
  }
  if (synced !== null && synced >= expected) gaps.push({ from: expected, to: synced });
  return gaps;
}

function isSame(a: Decoded, b: Decoded): boolean {
  return a.id !== null && a.id === b.id && a.outer.hash === b.outer.hash;
}

function decodeEvent(
  { seq, type, version, item }: Envelope,
  toolNames: Map<string, string>,
  hash: HashText | undefined,
): Decoded {
  const data = asObject(item.data) ?? {};
  const isTool = /(^|\.)tool\./.test(type);
  // Old logs say `callID`; `id` is a call's id only in events about tools.
  const call = isTool ? (asText(data.id, 200) ?? asText(data.callID, 200)) : null;
  // Only the first event of a call names the tool.
  const named = isTool ? (asText(data.name, 200) ?? asText(data.tool, 200)) : null;
  if (call !== null && named !== null) toolNames.set(call, named);
  const tool = named ?? (call === null ? null : (toolNames.get(call) ?? null));
  const error = errorText(data.error);
  const message =
    asText(data.assistantMessageID, 200) ?? asText(data.messageID, 200) ?? asText(data.inboxID, 200);
  const outer: LogEvent = {
    seq,
    type,
    ...(call === null ? {} : { call }),
    ...(tool === null ? {} : { tool }),
    ...(error === null ? {} : { error }),
    ...(message === null ? {} : { message }),
    ...(hash === undefined ? {} : { hash: contentHash(item, hash) }),
    ...(version === null ? {} : { version }),
  };
  return { id: asText(item.id, 200), outer, nested: isTool ? nestedCalls(outer, data) : [] };
}

/**
 * Calls made inside a program (code mode). They have no events of their own and share the outer call's id, so
 * they are shown behind the outer event, with its seq and type. Its hash covers them.
 */
function nestedCalls(outer: LogEvent, data: Record<string, unknown>): LogEvent[] {
  const calls = asObject(data.metadata)?.toolCalls;
  if (!Array.isArray(calls)) return [];
  return calls.map((value: unknown) => {
    const nested = asObject(value);
    const tool = asText(nested?.tool, 200) ?? "(unreadable)";
    const status = asText(nested?.status, 100);
    return {
      seq: outer.seq,
      type: outer.type,
      ...(outer.call === undefined ? {} : { call: outer.call }),
      tool,
      ...(status === "error" ? { error: errorText(nested?.error) ?? "status error" } : {}),
      ...(outer.message === undefined ? {} : { message: outer.message }),
      wrapped: true,
    };
  });
}

function errorText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const error = asObject(value);
  const text = asText(error?.message, 4_000);
  const type = asText(error?.type, 200);
  if (text !== null) return asText(type === null ? text : `${type}: ${text}`, 4_000);
  return type ?? asText(value, 4_000) ?? "an error without a message";
}
