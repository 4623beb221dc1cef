/**
 * Builds a host over the given storage, in the boot order that the contract gives (host contract, section 2.4):
 * schema, plugins, sweep in the background.
 */
import type { CreateOptions, HostInterface } from "../types/client-types.ts";
import { sweep } from "./boot-sweep.ts";
import { parseConfig } from "./config.ts";
import { Database } from "./database.ts";
import { EventLog } from "./event-log.ts";
import { createClient } from "./host-client.ts";
import { createIds } from "./host-ids.ts";
import { openSchema } from "./host-tables.ts";
import { HOST_IDENTITY } from "./identity.ts";
import { InboxStore } from "./inbox-store.ts";
import { DEFAULT_INTERNALS, type Internals } from "./internals.ts";
import { Life } from "./life.ts";
import { Logger } from "./logger.ts";
import { MessageStore } from "./message-store.ts";
import { Plugins } from "./plugins.ts";
import { createProjector } from "./projector.ts";
import { Inbox } from "./prompt-inbox.ts";
import { Executions } from "./session-execution.ts";
import { SessionStore } from "./session-store.ts";
import type { Host } from "./stand-in-host.ts";

/** @param replaced - For tests only: see `Internals`. */
export async function createStandIn(
  options: CreateOptions,
  replaced: Partial<Internals> = {},
): Promise<HostInterface> {
  const internals = { ...DEFAULT_INTERNALS, ...replaced };
  const config = parseConfig(options.config);
  const db = new Database(options.storage, internals.layout);
  await openSchema(db, internals.clock(), internals.mutations, internals.layout);

  const ids = createIds(internals.clock, internals.random);
  const life = new Life();
  const sessions = new SessionStore(db);
  const messages = new MessageStore(db);
  const store = new InboxStore(db);
  const project = createProjector({ sessions, messages, inbox: store });
  const log = new EventLog({ db, ids, life, internals, project });
  const inbox = new Inbox({ log, store, messages, ids, internals });
  const logger = new Logger(options.log);
  const app = { name: options.app?.name ?? "sdk", version: options.app?.version ?? HOST_IDENTITY.version };
  const plugins = new Plugins(logger, app);
  for (const plugin of options.plugins ?? []) plugins.register(plugin);

  const host: Host = {
    config,
    ids,
    inbox,
    internals,
    life,
    log,
    logger,
    messages,
    plugins,
    sessions,
    app,
    // Looked up at call time, so that a fetch replaced before `create` or later is the one that is used.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
  const executions = new Executions(host);
  sweep(host, executions, db).catch((error: unknown) => {
    if (!life.halted) logger.error(`The boot sweep broke: ${String(error)}`);
  });
  return createClient(host, executions);
}
