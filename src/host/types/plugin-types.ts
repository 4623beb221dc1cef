/**
 * The part of `@opencode/plugin` that the kit uses: host contract, sections 4.1 and 4.2.
 *
 * The published context has many more areas (provider, aisdk, session, permission, …). Only those that the
 * stand-in honours are declared, so that code which compiles here runs on both hosts.
 */
import type { JsonObject, ToolContent } from "./messages.ts";
import type { Location } from "./session-types.ts";

export type Registration = { dispose(): void };

/** A Standard Schema that can also describe itself as JSON Schema, as zod 4 schemas do. */
export type StandardSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => JsonObject;
    };
  };
};
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** Plain JSON Schema is shown to the model and not validated by the host. */
export type ToolSchema = JsonObject | StandardSchema;

export type ToolContext = {
  readonly sessionID: string;
  readonly agent: string;
  /** The assistant message that made the call. */
  readonly messageID: string;
  /** The model's own call id. A repeated call has a new one. */
  readonly id: string;
  readonly progress: (metadata: JsonObject) => void | Promise<void>;
  /** Absent in early 2.0 releases (host contract, section 15, question 8). */
  readonly signal?: AbortSignal;
};

export type ToolResult = {
  content?: string | ToolContent[];
  output?: unknown;
  metadata?: JsonObject;
};

export type ToolOptions = {
  namespace?: string;
  permission?: string;
  codemode?: boolean;
  pinned?: boolean;
};

export type ToolDefinition = {
  name: string;
  description: string;
  input: ToolSchema;
  output?: ToolSchema;
  options?: ToolOptions;
  // A tool narrows its own input; the host passes what the model sent.
  execute(input: never, context: ToolContext): ToolResult | Promise<ToolResult>;
};

export type ToolEditor = {
  add(tool: ToolDefinition): void;
  remove(name: string): void;
  get(name: string): ToolDefinition | undefined;
  list(): readonly ToolDefinition[];
};

export type ExecuteBefore = {
  readonly tool: string;
  readonly sessionID: string;
  readonly messageID: string;
  readonly id: string;
  input: JsonObject;
};
export type ExecuteAfter = ExecuteBefore & { content: ToolContent[]; metadata?: JsonObject };

export type ToolArea = {
  /** A synchronous edit, replayed in order whenever the catalog is rebuilt. */
  transform(edit: (editor: ToolEditor) => void): Registration;
  hook(name: "execute.before", run: (event: ExecuteBefore) => void | Promise<void>): Registration;
  hook(name: "execute.after", run: (event: ExecuteAfter) => void | Promise<void>): Registration;
  reload(): Promise<void>;
};

export type PluginContext = {
  readonly app: { readonly name: string; readonly version: string };
  readonly location: Location;
  readonly options: JsonObject;
  readonly tool: ToolArea;
};

export type Cleanup = () => void | Promise<void>;

export type PluginDefinition = {
  readonly id: string;
  // biome-ignore lint/suspicious/noConfusingVoidType: a setup without cleanup returns nothing at all.
  readonly setup: (context: PluginContext) => void | Cleanup | Promise<void | Cleanup>;
};
