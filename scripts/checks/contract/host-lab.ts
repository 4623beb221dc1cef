/**
 * One workerd for a whole test file, and a fresh object per case. The host under test is chosen by the bundler, as
 * it is in the kit.
 */
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { Mutation } from "../../../src/host/stand-in/mutations.ts";
import type { LogItem } from "../../../src/host/types/events.ts";
import type { SessionMessage } from "../../../src/host/types/messages.ts";
import { REPOSITORY } from "../../base/repository.ts";
import { enterScratch } from "../../local/process/scratch.ts";
import type { BenchState, Catalog, HostName, Outcome, Plan } from "./bench-protocol.ts";
import { bundleSubject } from "./host-lab-bundle.ts";

export type OperationResult = { operationId: string; status: string; reason?: string; text?: string };

export class Lab {
  readonly host: HostName;
  readonly #miniflare: Miniflare;
  /** Rules that every subject of this lab breaks. */
  readonly #mutations: readonly Mutation[];
  readonly #subjects: SubjectClient[] = [];

  private constructor(host: HostName, miniflare: Miniflare, mutations: readonly Mutation[]) {
    this.host = host;
    this.#miniflare = miniflare;
    this.#mutations = mutations;
  }

  /** @param packages - Folder whose `node_modules` holds the OpenCode packages; the checkout by default. */
  static async start(host: HostName = "stand-in", packages = REPOSITORY): Promise<Lab> {
    await enterScratch();
    const script = await bundleSubject(host, packages);
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script,
        compatibilityDate: "2026-11-01",
        compatibilityFlags: ["nodejs_compat"],
        durableObjects: {
          SUBJECT: { className: "Subject", useSQLite: true },
          BENCH: { className: "Bench", useSQLite: true },
        },
      }),
    );
    await miniflare.ready;
    return new Lab(host, miniflare, []);
  }

  /** The same workerd, with every subject broken in one way. */
  broken(mutation: Mutation): Lab {
    return new Lab(this.host, this.#miniflare, [mutation]);
  }

  /** The same lab, for subjects that can be retired apart from others. */
  scope(): Lab {
    return new Lab(this.host, this.#miniflare, this.#mutations);
  }

  /**
   * Takes away the storage and alarms of this scope's subjects. A broken host may otherwise go on for ever, and cost
   * the others their time.
   */
  async retire(): Promise<void> {
    await Promise.all(this.#subjects.map((subject) => subject.erase()));
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }

  async subject(plan: Plan = {}): Promise<SubjectClient> {
    const name = `${this.#mutations.join("-") || "host"}-${crypto.randomUUID()}`;
    const subject = new SubjectClient((path, body) => this.#post(path, body), name);
    this.#subjects.push(subject);
    await subject.plan({ ...plan, mutations: [...(plan.mutations ?? []), ...this.#mutations] });
    return subject;
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const response = await this.#miniflare.dispatchFetch(`http://lab.invalid${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new ObjectReset(text.split("\n")[0] ?? "");
    return JSON.parse(text);
  }
}

/**
 * Events that a host may or may not write, at places of its own (host contract, section 5.4): the instructions of the
 * first step, and what the title call leaves.
 */
const BESIDE = ["instructions.updated", "renamed", "usage.recorded"];

/** Of a durable event, or of an event row, whose type carries a version. */
export function shortType(event: { type: string } | string): string {
  const type = typeof event === "string" ? event : event.type;
  return type.replace(/^session\.|\.\d+$/g, "");
}

export function isBeside(type: string): boolean {
  return BESIDE.includes(shortType(type));
}

/** The object was reset while it was answering. */
class ObjectReset extends Error {
  override readonly name = "ObjectReset";
}

export class SubjectClient {
  readonly #post: (path: string, body: unknown) => Promise<unknown>;
  readonly name: string;

  constructor(post: (path: string, body: unknown) => Promise<unknown>, name: string) {
    this.#post = post;
    this.name = name;
  }

  async plan(plan: Plan): Promise<void> {
    await this.#post(`/bench/${this.name}/plan`, plan);
  }

  async bench(): Promise<BenchState> {
    const state = (await this.#post(`/bench/${this.name}/state`, {})) as BenchState;
    const boots = state.boots.map((boot) => ({
      ...boot,
      events: boot.events.filter((type) => !isBeside(type)),
      messages: boot.messages.filter((message) => message.type !== "system"),
    }));
    return { ...state, boots };
  }

  async until(least: { requests?: number; effects?: number }): Promise<void> {
    await this.#post(`/bench/${this.name}/until`, least);
  }

  /** Lets a held model answer (`model-<n>`) or tool (`tool-<order>`) go on. */
  async open(gate: string): Promise<void> {
    await this.#post(`/bench/${this.name}/open`, gate);
  }

  /** A method of the harness. */
  harness(path: string, ...args: unknown[]): Promise<unknown> {
    return this.#value("harness", path.split("."), args);
  }

  /** A method of the host's client. */
  client(path: string, ...args: unknown[]): Promise<unknown> {
    return this.#value("client", path.split("."), args);
  }

  /** The same, with what it throws as a value. */
  outcome(path: string, ...args: unknown[]): Promise<Outcome> {
    return this.#call("client", path.split("."), args);
  }

  async submit(text: string, options: Record<string, unknown> = {}): Promise<{ accepted: boolean }> {
    return (await this.harness("submit", text, options)) as { accepted: boolean };
  }

  /** Submits where a crash point is expected to strike: the call may or may not get its answer. */
  async submitIntoCrash(text: string, options: Record<string, unknown> = {}): Promise<void> {
    await this.submit(text, options).catch((error: unknown) => {
      if (!(error instanceof ObjectReset)) throw error;
    });
  }

  async wait(operationId: string): Promise<OperationResult> {
    return (await this.harness("wait", operationId)) as OperationResult;
  }

  /** The transcript, without the instructions that a host may put beside it. */
  async messages(): Promise<SessionMessage[]> {
    const messages = (await this.harness("messages")) as SessionMessage[];
    return messages.filter((message) => message.type !== "system");
  }

  async log(input: Record<string, unknown> = {}, until?: string): Promise<LogItem[]> {
    const args = [{ sessionID: "ses_root", ...input }, { until }];
    return (await this.#value("log", [], args)) as LogItem[];
  }

  /** Types of the root session's durable events, without the common prefix and without what is beside a turn. */
  async types(): Promise<string[]> {
    const items = await this.log();
    return items.filter((item) => item.type !== "log.synced" && !isBeside(item.type)).map(shortType);
  }

  /** Waits until the root session's log holds an event of this type. */
  async untilTypes(type: string): Promise<void> {
    await this.log({ follow: true }, `session.${type}`);
  }

  /** Waits until a title call, if the host has made one, has left its last event. */
  async quiet(): Promise<void> {
    if ((await this.bench()).titles.length > 0) await this.untilTypes("renamed");
  }

  async subscribe(
    prompt: Record<string, unknown>,
    until: string,
  ): Promise<{ type: string; data: unknown }[]> {
    return (await this.#value("subscribe", [], [{ prompt, until }])) as { type: string; data: unknown }[];
  }

  async catalog(): Promise<Catalog> {
    return (await this.#value("catalog", [], [])) as Catalog;
  }

  /** Wakes the object as any request would. */
  async touch(): Promise<void> {
    await this.harness("pending");
  }

  /**
   * Waits until the object runs for the n-th time, by asking it until it does: each reset cuts the question off, and
   * the next one is what wakes the object again.
   */
  async untilActivation(nth: number): Promise<void> {
    for (;;) {
      try {
        await this.#value("until-activation", [], [nth - 1]);
        return;
      } catch (error) {
        if (!(error instanceof ObjectReset)) throw error;
      }
    }
  }

  /**
   * Waits for the n-th activation and for so many model calls, then for the operation. Waiting only once the session
   * is busy again keeps the harness from pausing a second.
   */
  async recover(operationId: string, requests: number, activation = 2): Promise<OperationResult> {
    await this.untilActivation(activation);
    await this.until({ requests });
    return this.wait(operationId);
  }

  /** Resets the object: nothing in memory survives. */
  async drop(): Promise<void> {
    await this.#call("drop", [], []).then(
      () => {
        throw new Error("The object was not reset");
      },
      (error: unknown) => {
        if (!(error instanceof ObjectReset)) throw error;
      },
    );
  }

  /** Leaves nothing of the object. */
  async erase(): Promise<void> {
    await this.#call("erase", [], []).catch((error: unknown) => {
      if (!(error instanceof ObjectReset)) throw error;
    });
  }

  async #value(target: string, path: string[], args: unknown[]): Promise<unknown> {
    const outcome = await this.#call(target, path, args);
    if (outcome.ok) return outcome.value;
    throw new Error(`${path.join(".")} threw ${JSON.stringify(outcome.value)}`);
  }

  async #call(target: string, path: string[], args: unknown[]): Promise<Outcome> {
    return (await this.#post(`/subject/${this.name}`, { target, path, args })) as Outcome;
  }
}
