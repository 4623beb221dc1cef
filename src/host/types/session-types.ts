/** A session as the host reports it: host contract, section 3.1. */
import type { JsonObject, ModelRef, Outcome, Tokens } from "./messages.ts";

export type Location = { directory: string };

export type SessionInfo = {
  id: string;
  parentID?: string;
  fork?: { sessionID: string; boundary: number };
  projectID: string;
  agent?: string;
  model?: ModelRef;
  cost: number;
  tokens: Tokens;
  outcome?: Outcome;
  time: { created: number; updated: number; idle?: number; viewed?: number; archived?: number };
  title?: string;
  location: Location;
  subpath?: string;
  metadata?: JsonObject;
  permissions?: JsonObject[];
};
