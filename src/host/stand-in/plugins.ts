/**
 * Plugins: host contract, sections 2.4 and 4.1.
 *
 * Setup runs lazily, at the first prompt or step, and the runner awaits it before its first step. A failing setup
 * is logged and marked; the host lives on, without that plugin's tools.
 */
import type { PluginStatus } from "../types/client-types.ts";
import type {
  Cleanup,
  ExecuteAfter,
  ExecuteBefore,
  PluginContext,
  PluginDefinition,
  ToolArea,
  ToolDefinition,
} from "../types/plugin-types.ts";
import { HOST_IDENTITY } from "./identity.ts";
import type { Logger } from "./logger.ts";
import { effectiveName, requireOfferable } from "./toolset.ts";

type Edit = { pluginID: string; apply: Parameters<ToolArea["transform"]>[0] };
type Hook<E> = { pluginID: string; run: (event: E) => void | Promise<void> };

export class Plugins {
  readonly #definitions: PluginDefinition[] = [];
  readonly #status = new Map<string, PluginStatus>();
  readonly #cleanups: Cleanup[] = [];
  readonly #logger: Logger;
  readonly #app: { name: string; version: string };
  #edits: Edit[] = [];
  #before: Hook<ExecuteBefore>[] = [];
  #after: Hook<ExecuteAfter>[] = [];
  #catalog = new Map<string, ToolDefinition>();
  #activation: Promise<void> = Promise.resolve();

  constructor(logger: Logger, app: { name: string; version: string }) {
    this.#logger = logger;
    this.#app = app;
  }

  register(definition: PluginDefinition): void {
    this.#definitions.push(definition);
    this.#status.set(definition.id, { id: definition.id, status: "pending" });
  }

  /** Sets up whatever has been registered since the last call. */
  activate(): Promise<void> {
    this.#activation = this.#activation.then(async () => {
      for (const definition of this.#definitions.splice(0)) await this.#setUp(definition);
    });
    return this.#activation;
  }

  list(): PluginStatus[] {
    return [...this.#status.values()];
  }

  tools(): Iterable<ToolDefinition> {
    return this.#catalog.values();
  }

  async before(event: ExecuteBefore): Promise<void> {
    for (const hook of this.#before) await hook.run(event);
  }

  async after(event: ExecuteAfter): Promise<void> {
    for (const hook of this.#after) await hook.run(event);
  }

  async dispose(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) await cleanup();
  }

  async #setUp(definition: PluginDefinition): Promise<void> {
    const { id } = definition;
    try {
      const cleanup = await definition.setup(this.#context(id));
      if (typeof cleanup === "function") this.#cleanups.push(cleanup);
      this.#status.set(id, { id, status: "active" });
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause);
      this.#edits = this.#edits.filter((edit) => edit.pluginID !== id);
      this.#before = this.#before.filter((hook) => hook.pluginID !== id);
      this.#after = this.#after.filter((hook) => hook.pluginID !== id);
      this.#rebuild();
      this.#status.set(id, { id, status: "failed", error });
      this.#logger.error(`Plugin ${id} failed to set up: ${error}`, { plugin: id });
    }
  }

  #context(pluginID: string): PluginContext {
    const context: PluginContext = {
      app: this.#app,
      location: { directory: "/" },
      options: {},
      tool: this.#toolArea(pluginID),
    };
    return new Proxy(context, {
      get(target, area) {
        if (area in target || typeof area === "symbol") return Reflect.get(target, area);
        throw new Error(`${HOST_IDENTITY.name} does not implement the plugin area "${area}"`);
      },
    });
  }

  #toolArea(pluginID: string): ToolArea {
    return {
      transform: (apply) => {
        const edit = { pluginID, apply };
        const dispose = () => {
          this.#edits = this.#edits.filter((other) => other !== edit);
          this.#rebuild();
        };
        this.#edits.push(edit);
        try {
          this.#rebuild();
        } catch (refusal) {
          dispose();
          throw refusal;
        }
        return { dispose };
      },
      hook: (name: string, run: unknown) => {
        if (name === "execute.before") {
          const hook = { pluginID, run: run as Hook<ExecuteBefore>["run"] };
          this.#before.push(hook);
          return {
            dispose: () => {
              this.#before = this.#before.filter((other) => other !== hook);
            },
          };
        }
        const hook = { pluginID, run: run as Hook<ExecuteAfter>["run"] };
        this.#after.push(hook);
        return {
          dispose: () => {
            this.#after = this.#after.filter((other) => other !== hook);
          },
        };
      },
      reload: async () => this.#rebuild(),
    };
  }

  /** Replays every edit in order. An edit that refuses leaves the catalog as it was before the rebuild. */
  #rebuild(): void {
    const catalog = new Map<string, ToolDefinition>();
    for (const { apply } of this.#edits) {
      apply({
        add(tool) {
          requireOfferable(tool);
          catalog.set(effectiveName(tool), tool);
        },
        remove: (name) => void catalog.delete(name),
        get: (name) => catalog.get(name),
        list: () => [...catalog.values()],
      });
    }
    this.#catalog = catalog;
  }
}
