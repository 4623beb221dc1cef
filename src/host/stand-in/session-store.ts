/**
 * Rows of `session_v2`: host contract, sections 3.1, 8 (claim) and 11.1.
 */
import type { DurableEvent } from "../types/events.ts";
import type { ModelRef, Outcome, Tokens } from "../types/messages.ts";
import type { SessionInfo } from "../types/session-types.ts";
import type { Database } from "./database.ts";

type SessionRow = {
  id: string;
  project_id: string;
  parent_id: string | null;
  fork_session_id: string | null;
  fork_boundary: number | null;
  directory: string;
  path: string | null;
  title: string | null;
  metadata: string | null;
  permission: string | null;
  cost: number;
  tokens_input: number;
  tokens_output: number;
  tokens_reasoning: number;
  tokens_cache_read: number;
  tokens_cache_write: number;
  agent: string | null;
  model: string | null;
  time_created: number;
  time_updated: number;
  time_idle: number | null;
  time_viewed: number | null;
  time_archived: number | null;
  idle_outcome: string | null;
};

export type Claim = { id: string; parentID: string | null };

export class SessionStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  get(id: string): SessionInfo | undefined {
    const row = this.#db.first<SessionRow>("SELECT * FROM session_v2 WHERE id = ?", id);
    return row === undefined ? undefined : infoOf(row);
  }

  all(): SessionInfo[] {
    return this.#db.all<SessionRow>("SELECT * FROM session_v2 ORDER BY time_updated, id").map(infoOf);
  }

  insert(event: DurableEvent<"session.created">): void {
    const { data, created } = event;
    this.#db.run(
      `INSERT INTO session_v2 (id, project_id, parent_id, slug, directory, path, title, version, metadata,
         permission, agent, model, time_created, time_updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      data.sessionID,
      data.projectID,
      data.parentID ?? null,
      data.slug,
      data.location.directory,
      data.subpath ?? null,
      data.title ?? null,
      data.version,
      json(data.metadata),
      json(data.permissions),
      data.agent ?? null,
      json(data.model),
      created,
      created,
    );
  }

  /** A fork is a row of its own with its origin's settings and without its claim (host contract, section 3.7). */
  insertFork(event: DurableEvent<"session.forked">): void {
    const { sessionID, parentID, boundary } = event.data;
    const forks = this.#db.first<{ n: number }>(
      "SELECT count(*) AS n FROM session_v2 WHERE fork_session_id = ?",
      parentID,
    );
    const origin = this.#db.first<SessionRow>("SELECT * FROM session_v2 WHERE id = ?", parentID);
    const title = origin?.title == null ? null : `${origin.title} (fork #${(forks?.n ?? 0) + 1})`;
    this.#db.run(
      `INSERT INTO session_v2 (id, project_id, fork_session_id, fork_boundary, slug, directory, path, title,
         version, metadata, permission, agent, model, time_created, time_updated)
       SELECT ?, project_id, id, ?, ?, directory, path, ?, version, metadata, permission, agent, model, ?, ?
       FROM session_v2 WHERE id = ?`,
      sessionID,
      boundary,
      sessionID,
      title,
      event.created,
      event.created,
      parentID,
    );
  }

  touch(id: string, at: number): void {
    this.#db.run("UPDATE session_v2 SET time_updated = max(time_updated, ?) WHERE id = ?", at, id);
  }

  setAgent(id: string, agent: string): void {
    this.#db.run("UPDATE session_v2 SET agent = ? WHERE id = ?", agent, id);
  }

  setModel(id: string, model: ModelRef): void {
    this.#db.run("UPDATE session_v2 SET model = ? WHERE id = ?", JSON.stringify(model), id);
  }

  setTitle(id: string, title: string): void {
    this.#db.run("UPDATE session_v2 SET title = ? WHERE id = ?", title, id);
  }

  setIdle(id: string, outcome: Outcome, at: number): void {
    this.#db.run("UPDATE session_v2 SET time_idle = ?, idle_outcome = ? WHERE id = ?", at, outcome, id);
  }

  addUsage(id: string, cost: number, tokens: Tokens): void {
    this.#db.run(
      `UPDATE session_v2 SET cost = cost + ?, tokens_input = tokens_input + ?, tokens_output = tokens_output + ?,
         tokens_reasoning = tokens_reasoning + ?, tokens_cache_read = tokens_cache_read + ?,
         tokens_cache_write = tokens_cache_write + ? WHERE id = ?`,
      cost,
      tokens.input,
      tokens.output,
      tokens.reasoning,
      tokens.cache.read,
      tokens.cache.write,
      id,
    );
  }

  /** The claim: set once per busy period, kept by every way of dying (host contract, section 8). */
  claim(id: string, at: number): void {
    this.#db.run("UPDATE session_v2 SET time_suspended = ? WHERE id = ? AND time_suspended IS NULL", at, id);
  }

  release(id: string): void {
    this.#db.run("UPDATE session_v2 SET time_suspended = NULL, resume_attempts = 0 WHERE id = ?", id);
  }

  claimed(): Claim[] {
    return this.#db
      .all<{ id: string; parent_id: string | null }>(
        "SELECT id, parent_id FROM session_v2 WHERE time_suspended IS NOT NULL ORDER BY time_suspended, id",
      )
      .map((row) => ({ id: row.id, parentID: row.parent_id }));
  }

  /** @returns The new number of attempts. */
  countAttempt(id: string): number {
    this.#db.run("UPDATE session_v2 SET resume_attempts = resume_attempts + 1 WHERE id = ?", id);
    return this.attempts(id);
  }

  attempts(id: string): number {
    return (
      this.#db.first<{ resume_attempts: number }>("SELECT resume_attempts FROM session_v2 WHERE id = ?", id)
        ?.resume_attempts ?? 0
    );
  }
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function infoOf(row: SessionRow): SessionInfo {
  return {
    id: row.id,
    ...(row.parent_id === null ? {} : { parentID: row.parent_id }),
    ...(row.fork_session_id === null
      ? {}
      : { fork: { sessionID: row.fork_session_id, boundary: row.fork_boundary ?? 0 } }),
    projectID: row.project_id,
    ...(row.agent === null ? {} : { agent: row.agent }),
    ...(row.model === null ? {} : { model: JSON.parse(row.model) as ModelRef }),
    cost: row.cost,
    tokens: {
      input: row.tokens_input,
      output: row.tokens_output,
      reasoning: row.tokens_reasoning,
      cache: { read: row.tokens_cache_read, write: row.tokens_cache_write },
    },
    ...(row.idle_outcome === null ? {} : { outcome: row.idle_outcome as Outcome }),
    time: {
      created: row.time_created,
      updated: row.time_updated,
      ...(row.time_idle === null ? {} : { idle: row.time_idle }),
      ...(row.time_viewed === null ? {} : { viewed: row.time_viewed }),
      ...(row.time_archived === null ? {} : { archived: row.time_archived }),
    },
    ...(row.title === null ? {} : { title: row.title }),
    location: { directory: row.directory },
    ...(row.path === null ? {} : { subpath: row.path }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
    ...(row.permission === null ? {} : { permissions: JSON.parse(row.permission) }),
  };
}
