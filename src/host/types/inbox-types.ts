/** The inbox of a session: host contract, section 7. */
import type { FileAttachment, JsonObject } from "./messages.ts";

export type Delivery = "steer" | "queue";

export type UserPayload = {
  text: string;
  files?: FileAttachment[];
  agents?: JsonObject[];
  skills?: JsonObject[];
  metadata?: JsonObject;
};
export type SyntheticPayload = { text: string; description?: string; metadata?: JsonObject };
export type CompactionPayload = Record<string, never>;
export type MovePayload = { location: JsonObject };

/** What is stored of an input: its type decides the payload. */
export type InboxItemBody =
  | { type: "user"; payload: UserPayload; delivery: Delivery }
  | { type: "synthetic"; payload: SyntheticPayload; delivery: Delivery }
  | { type: "compaction"; payload: CompactionPayload; delivery: Delivery }
  | { type: "move"; payload: MovePayload; delivery: Delivery };

export type InboxType = InboxItemBody["type"];

export type InboxItem<T extends InboxType = InboxType> = Extract<InboxItemBody, { type: T }> & {
  id: string;
  sessionID: string;
  timeCreated: number;
};
