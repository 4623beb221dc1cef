/**
 * The client: host contract, sections 2.2, 2.3 and 3. The methods only check, admit and read; work is done by
 * executions.
 */
import type {
  CreateSessionInput,
  HostInterface,
  PromptInput,
  RequestOptions,
  SessionGroup,
} from "../types/client-types.ts";
import type { InboxItem, InboxItemBody } from "../types/inbox-types.ts";
import type { JsonObject } from "../types/messages.ts";
import type { PluginDefinition } from "../types/plugin-types.ts";
import type { SessionInfo } from "../types/session-types.ts";
import { knowsAgent } from "./config.ts";
import { agentNotFound, ClientError, invalidRequest, messageNotFound } from "./host-errors.ts";
import { HOST_IDENTITY } from "./identity.ts";
import { listMessages, listSessions, readLog, requireSession, subscribe } from "./reading.ts";
import type { Executions } from "./session-execution.ts";
import type { Host } from "./stand-in-host.ts";

export function createClient(host: Host, executions: Executions): HostInterface {
  const session = createSessionGroup(host, executions);
  const event = { subscribe: (options: RequestOptions = {}) => subscribe(host, options) };
  const call = caller(host);
  const plugin = Object.assign(
    (definition: PluginDefinition) => call(async () => host.plugins.register(definition)),
    { list: () => call(async () => host.plugins.list()) },
  );
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= shutDown(host, executions);
    return closing;
  };
  return {
    session,
    sessions: session,
    message: { list: (input) => call(async () => listMessages(host, input)) },
    event,
    events: event,
    // Plugin tools are not prompted for (host contract, section 4.2), so nothing ever waits for a reply.
    permission: {
      list: (input) =>
        call(async () => {
          requireSession(host, input.sessionID);
          return [];
        }),
    },
    plugin,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Graceful: open executions end as `shutdown`, with their settlements written (host contract, section 8). */
async function shutDown(host: Host, executions: Executions): Promise<void> {
  host.life.beginClose();
  await executions.shutdown();
  host.life.finishClose();
  await host.plugins.dispose();
}

/** Every call is asynchronous and is refused once the host is closed. */
function caller(host: Host) {
  return async <T>(run: () => Promise<T>): Promise<T> => {
    host.life.requireOpen();
    return run();
  };
}

function createSessionGroup(host: Host, executions: Executions): SessionGroup {
  const call = caller(host);

  /** Admits, and rings the doorbell unless told not to; also for an input that is already known. */
  async function admit(
    input: { sessionID: string; id?: string; resume?: boolean },
    body: InboxItemBody,
  ): Promise<InboxItem> {
    requireSession(host, input.sessionID);
    if (input.id !== undefined && !input.id.startsWith("msg_"))
      throw invalidRequest("invalid_id", "An input's id begins with msg_", "id");
    await host.plugins.activate();
    const item = await host.inbox.admit(input.sessionID, input.id, body);
    if (input.resume !== false) executions.wake(input.sessionID);
    return item;
  }

  return {
    create: (input) => call(() => createSession(host, input)),
    get: (input) => call(async () => requireSession(host, input.sessionID)),
    list: (input) => call(async () => listSessions(host, input)),
    active: () =>
      call(async () =>
        Object.fromEntries(executions.active().map((id) => [id, { type: "running" as const }])),
      ),
    prompt: (input) =>
      call(async () => {
        const body = {
          type: "user",
          payload: userPayload(input),
          delivery: input.delivery ?? "steer",
        } as const;
        return (await admit(input, body)) as InboxItem<"user">;
      }),
    synthetic: (input) =>
      call(async () => {
        const { text, description, metadata } = input;
        const payload = { text, ...defined({ description, metadata }) };
        const body = { type: "synthetic", payload, delivery: input.delivery ?? "steer" } as const;
        return (await admit(input, body)) as InboxItem<"synthetic">;
      }),
    compact: (input) =>
      call(async () => {
        const pending = host.inbox.list(input.sessionID).find((item) => item.type === "compaction");
        const body = { type: "compaction", payload: {}, delivery: input.delivery ?? "steer" } as const;
        const item = await admit({ ...input, ...defined({ id: pending?.id ?? input.id }) }, body);
        return item as InboxItem<"compaction">;
      }),
    wait: (input, options) =>
      call(async () => {
        requireSession(host, input.sessionID);
        await executions.wait(input.sessionID, options?.signal).catch((cause: unknown) => {
          throw new ClientError("Transport", "The wait was aborted", { cause });
        });
        return undefined;
      }),
    resume: (input) =>
      call(async () => {
        requireSession(host, input.sessionID);
        executions.run(input.sessionID);
        return undefined;
      }),
    interrupt: (input) =>
      call(async () => {
        requireSession(host, input.sessionID);
        return { interrupted: executions.interrupt(input.sessionID, input.resume === true) };
      }),
    context: (input) =>
      call(async () => {
        requireSession(host, input.sessionID);
        return host.messages.context(input.sessionID);
      }),
    log: (input, options = {}) => readLog(host, input, options),
    switchModel: (input) =>
      call(async () => {
        const { model: previous } = requireSession(host, input.sessionID);
        const { sessionID, model } = input;
        await host.log.publish("session.model.selected", { sessionID, model, ...defined({ previous }) });
        return undefined;
      }),
    switchAgent: (input) =>
      call(async () => {
        const { agent: previous } = requireSession(host, input.sessionID);
        const { sessionID, agent } = input;
        if (!knowsAgent(host.config, agent)) throw agentNotFound(agent);
        await host.log.publish("session.agent.selected", { sessionID, agent, ...defined({ previous }) });
        return undefined;
      }),
    fork: (input) => call(() => fork(host, input)),
    inbox: {
      list: (input) =>
        call(async () => {
          requireSession(host, input.sessionID);
          return host.inbox.list(input.sessionID);
        }),
      cancel: (input) =>
        call(async () => {
          requireSession(host, input.sessionID);
          await host.inbox.cancel(input.sessionID, input.inboxID);
          return undefined;
        }),
      update: (input) =>
        call(async () => {
          requireSession(host, input.sessionID);
          await host.inbox.redeliver(input.sessionID, input.inboxID, input.delivery);
          return undefined;
        }),
    },
  };
}

/** Idempotent by id: an existing session comes back unchanged (host contract, section 3.1). */
async function createSession(host: Host, input: CreateSessionInput): Promise<SessionInfo> {
  const id = input.id ?? host.ids.next("ses");
  if (!id.startsWith("ses_")) throw invalidRequest("invalid_id", "A session's id begins with ses_", "id");
  const existing = host.sessions.get(id);
  if (existing !== undefined) return existing;
  if (input.agent !== undefined && !knowsAgent(host.config, input.agent)) throw agentNotFound(input.agent);
  const { parentID, title, agent, model, metadata, permissions } = input;
  await host.log.publish("session.created", {
    sessionID: id,
    projectID: "prj_global",
    location: input.location ?? { directory: "/" },
    slug: id,
    version: `${HOST_IDENTITY.name}/${HOST_IDENTITY.version}`,
    ...defined({ parentID, title, agent, model, metadata, permissions }),
  });
  return requireSession(host, id);
}

/** Host contract, section 3.7. The boundary is the `seq` of the last message that is copied. */
async function fork(host: Host, input: { sessionID: string; before?: string }): Promise<SessionInfo> {
  requireSession(host, input.sessionID);
  const messages = host.messages.all(input.sessionID);
  if (messages.length === 0) throw invalidRequest("empty_session", "There is nothing to fork", "sessionID");
  const end =
    input.before === undefined
      ? messages.length
      : messages.findIndex(({ message }) => message.id === input.before);
  if (end === -1) throw messageNotFound(input.sessionID, input.before ?? "");
  const sessionID = host.ids.next("ses");
  const boundary = messages[end - 1]?.seq ?? -1;
  await host.log.publish("session.forked", { sessionID, parentID: input.sessionID, boundary });
  return requireSession(host, sessionID);
}

function userPayload(input: PromptInput) {
  if (typeof input.text !== "string") throw invalidRequest("invalid_body", "A prompt has a text", "text");
  const { text, files, agents, skills, metadata } = input;
  return { text, ...defined({ files, agents, skills, metadata }) };
}

/** Drops what is undefined, so that optional fields are absent instead. */
function defined<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: JsonObject = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  return kept as { [K in keyof T]?: Exclude<T[K], undefined> };
}
