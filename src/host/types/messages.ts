/**
 * The transcript of an OpenCode 2 session: host contract, section 6.
 *
 * These types describe what the published package hands out; they hold no behaviour.
 */

export type ModelRef = { id: string; providerID: string; variant?: string };

export type Tokens = {
  input: number;
  output: number;
  reasoning: number;
  cache: { read: number; write: number };
};

/** Host contract, section 10.4. The type is open: newer hosts may add more. */
export type SessionError = { type: string; message: string; status?: number };

/** How a step's provider answer ended (host contract, section 6). */
export type Finish = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "unknown";

export type Outcome = "succeeded" | "failed" | "interrupted";

export type JsonObject = Record<string, unknown>;

export type FileAttachment = {
  uri: string;
  name?: string;
  mime?: string;
  description?: string;
  source?: JsonObject;
};

/** What a tool hands back to the model. */
export type ToolContent =
  | { type: "text"; text: string }
  | { type: "file"; uri: string; mime: string; name?: string };

/** The state machine of a tool call (host contract, section 6). */
export type ToolState =
  | { status: "streaming"; input: string }
  | { status: "running"; input: JsonObject; metadata: JsonObject }
  | { status: "completed"; input: JsonObject; content: ToolContent[]; metadata?: JsonObject }
  | {
      status: "error";
      input: JsonObject;
      error: SessionError;
      content?: ToolContent[];
      metadata?: JsonObject;
    };

export type TextPart = { type: "text"; text: string };
export type ReasoningPart = {
  type: "reasoning";
  text: string;
  time?: { created: number; completed?: number };
};
export type ToolPart = {
  type: "tool";
  id: string;
  name: string;
  executed?: boolean;
  state: ToolState;
  time: { created: number; ran?: number; completed?: number };
};
export type AssistantPart = TextPart | ReasoningPart | ToolPart;

type Base = { id: string; metadata?: JsonObject; time: { created: number } };

export type UserMessage = Base & {
  type: "user";
  text: string;
  files?: FileAttachment[];
  agents?: JsonObject[];
  skills?: JsonObject[];
};

export type AssistantMessage = Omit<Base, "time"> & {
  type: "assistant";
  agent: string;
  model: ModelRef;
  content: AssistantPart[];
  snapshot?: JsonObject;
  finish?: Finish;
  rawFinish?: string;
  native?: JsonObject;
  cost?: number;
  tokens?: Tokens;
  error?: SessionError;
  retry?: { attempt: number; at: number; error: SessionError };
  time: { created: number; streamed?: number; completed?: number };
};

export type SyntheticMessage = Base & { type: "synthetic"; text: string; description?: string };
export type SystemMessage = Base & { type: "system"; text: string; description?: string };
export type SkillMessage = Base & { type: "skill"; skill: string; name: string; text: string };
export type ShellMessage = Omit<Base, "time"> & {
  type: "shell";
  shellID: string;
  command: string;
  status: string;
  exit?: number;
  output?: string;
  time: { created: number; completed?: number };
};
export type CompactionMessage = Base & {
  type: "compaction";
  status: "running" | "completed" | "failed";
  reason: "auto" | "manual";
  recent: string;
  summary?: string;
  error?: SessionError;
  model?: ModelRef;
  cost?: number;
  tokens?: Tokens;
};
export type SwitchedMessage =
  | (Base & { type: "agent-switched"; value: string; previous?: string })
  | (Base & { type: "model-switched"; value: ModelRef; previous?: ModelRef })
  | (Base & { type: "location-switched"; value: JsonObject; previous?: JsonObject });
export type IdleMessage = Base & { type: "idle"; outcome: Outcome; error?: SessionError };

export type SessionMessage =
  | UserMessage
  | AssistantMessage
  | SyntheticMessage
  | SystemMessage
  | SkillMessage
  | ShellMessage
  | CompactionMessage
  | SwitchedMessage
  | IdleMessage;
