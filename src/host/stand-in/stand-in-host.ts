/** The parts of one open host, as its modules see each other. Assembled in create.ts. */
import type { Config } from "./config.ts";
import type { EventLog } from "./event-log.ts";
import type { Ids } from "./host-ids.ts";
import type { Internals } from "./internals.ts";
import type { Life } from "./life.ts";
import type { Logger } from "./logger.ts";
import type { MessageStore } from "./message-store.ts";
import type { Plugins } from "./plugins.ts";
import type { Inbox } from "./prompt-inbox.ts";
import type { SessionStore } from "./session-store.ts";

export type Host = {
  readonly config: Config;
  readonly ids: Ids;
  readonly inbox: Inbox;
  readonly internals: Internals;
  readonly life: Life;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly messages: MessageStore;
  readonly plugins: Plugins;
  readonly sessions: SessionStore;
  readonly app: { name: string; version: string };
  readonly fetch: typeof globalThis.fetch;
};
