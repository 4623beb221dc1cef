/**
 * The reading endpoints: host contract, sections 3.1, 3.2 and 3.6.
 */
import type {
  ListMessagesInput,
  ListSessionsInput,
  LogInput,
  Page,
  RequestOptions,
} from "../types/client-types.ts";
import type { LiveEvent, LogItem } from "../types/events.ts";
import type { SessionMessage } from "../types/messages.ts";
import type { SessionInfo } from "../types/session-types.ts";
import { cursorsOf, positionOf } from "./cursor.ts";
import { sessionNotFound } from "./host-errors.ts";
import { LiveQueue } from "./live-queue.ts";
import type { Host } from "./stand-in-host.ts";

const DEFAULT_LIMIT = 50;
/** One of the maxima that were seen (host contract, section 15, question 19). */
const MAX_LIMIT = 200;
/** Rows of the log read at a time. */
const LOG_PAGE = 512;

/** @throws SessionNotFoundError */
export function requireSession(host: Host, sessionID: string): SessionInfo {
  const session = host.sessions.get(sessionID);
  if (session === undefined) throw sessionNotFound(sessionID);
  return session;
}

export function listMessages(host: Host, input: ListMessagesInput): Page<SessionMessage> {
  requireSession(host, input.sessionID);
  const { cursor, order } = positionOf(input, "desc");
  const limit = clamp(input.limit);
  let bounds = {};
  if (cursor !== undefined) {
    const anchor = host.messages.find(cursor.id);
    if (anchor?.sessionID !== input.sessionID) return { data: [], cursor: {} };
    // Going on in the page's own order means later rows when ascending, earlier ones when descending.
    const later = (order === "asc") === (cursor.direction === "next");
    bounds = later ? { after: anchor.seq } : { before: anchor.seq };
  }
  const backwards = cursor?.direction === "previous";
  const scan = backwards ? (order === "asc" ? "desc" : "asc") : order;
  const rows = host.messages.range(input.sessionID, bounds, scan, limit);
  const data = (backwards ? rows.reverse() : rows).map((row) => row.message);
  return {
    data,
    cursor: cursorsOf(
      data.map((message) => message.id),
      order,
    ),
  };
}

export function listSessions(host: Host, input: ListSessionsInput): Page<SessionInfo> {
  const { cursor, order } = positionOf(input, "desc");
  const matching = host.sessions.all().filter((session) => matches(session, input));
  const ordered = order === "asc" ? matching : matching.reverse();
  const limit = clamp(input.limit);
  const anchor = cursor === undefined ? -1 : ordered.findIndex((session) => session.id === cursor.id);
  if (cursor !== undefined && anchor === -1) return { data: [], cursor: {} };
  const data =
    cursor?.direction === "previous"
      ? ordered.slice(Math.max(0, anchor - limit), anchor)
      : ordered.slice(anchor + 1, anchor + 1 + limit);
  return {
    data,
    cursor: cursorsOf(
      data.map((session) => session.id),
      order,
    ),
  };
}

function matches(session: SessionInfo, input: ListSessionsInput): boolean {
  if (input.parentID !== undefined && session.parentID !== input.parentID) return false;
  if (input.directory !== undefined && session.location.directory !== input.directory) return false;
  if (input.project !== undefined && session.projectID !== input.project) return false;
  return input.search === undefined || (session.title ?? "").includes(input.search);
}

function clamp(limit: number | undefined): number {
  return Math.min(Math.max(1, limit ?? DEFAULT_LIMIT), MAX_LIMIT);
}

/** Replay, then one `log.synced` marker at the watermark of the start, then live events if asked for. */
export async function* readLog(
  host: Host,
  input: LogInput,
  options: RequestOptions,
): AsyncGenerator<LogItem> {
  host.life.requireOpen();
  const { sessionID, follow } = input;
  requireSession(host, sessionID);
  const queue = new LiveQueue<LiveEvent>();
  const stop = follow === true ? host.log.listen((event) => queue.push(event)) : () => undefined;
  try {
    const watermark = host.log.lastSeq(sessionID);
    let after = input.after ?? -1;
    while (after < watermark) {
      const page = host.log.read(sessionID, after, watermark, LOG_PAGE);
      if (page.length === 0) break;
      yield* page;
      after = page.at(-1)?.durable.seq ?? watermark;
    }
    yield { type: "log.synced", aggregateID: sessionID, ...(watermark < 0 ? {} : { seq: watermark }) };
    if (follow !== true) return;
    for await (const event of queue.read(options.signal, host.life.ended)) {
      if (!("durable" in event) || event.durable.aggregateID !== sessionID) continue;
      if (event.durable.seq > Math.max(watermark, input.after ?? -1)) yield event;
    }
  } finally {
    stop();
  }
}

/** `server.connected` first, then everything live, of all sessions, durable or not. No replay. */
export async function* subscribe(host: Host, options: RequestOptions): AsyncGenerator<LiveEvent> {
  host.life.requireOpen();
  const queue = new LiveQueue<LiveEvent>();
  const stop = host.log.listen((event) => queue.push(event));
  try {
    yield host.log.ephemeral("server.connected", {});
    yield* queue.read(options.signal, host.life.ended);
  } finally {
    stop();
  }
}
