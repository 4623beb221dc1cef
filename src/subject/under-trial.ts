/**
 * Lays the kit over a Durable Object class from outside. The class is constructed as it is; then the handlers that the runtime
 * calls are wrapped on the instance, where it has them, and what its code throws and nobody catches is told. Before a handler of
 * the class runs, its activation is counted and announced; requests of the subject protocol are answered by the kit, and
 * everything else reaches the class unchanged.
 *
 * A construct trap and no subclass: `Lifecycle.install` skips a handler that its host has already, `Agent` refuses a class
 * that overrides what it inherits, and a class without an alarm must not get one.
 */
import { KeySource } from "../trace/levels.ts";
import type { RecordDraft } from "../trace/records.ts";
import { Activation, type ActivationCause } from "./activation.ts";
import { DrivenSubject } from "./driven-subject.ts";
import type { Driver } from "./driver.ts";
import { ledgerOf } from "./links.ts";
import type { AgentClass, ObjectClass } from "./object-class.ts";
import { parseObjectName } from "./object-name.ts";
import { serveCounted } from "./serve-counted.ts";
import type { SubjectEnv } from "./subject-env.ts";
import { asWorkOf, type Owner } from "./uncaught.ts";

type Handler = (...args: unknown[]) => unknown;

/** One life of an object in memory, as the kit follows it. */
export type Life = Owner & {
  /** Counts and announces the life, once; before anything else of it runs. */
  readonly begin: () => Promise<void>;
  /** Notes what woke the object; only the first word counts. */
  readonly enteredBy: (cause: ActivationCause) => void;
  readonly failed: (error: unknown) => Promise<void>;
};

/** What is laid over one instance. */
export type Laid = {
  readonly life: Life;
  /** What the class is constructed with. */
  readonly environment: unknown;
  /** Answers a request of the kit's; null where it is none of them. */
  readonly answer: (agent: object, request: Request) => Promise<Response> | null;
  /** Called with what was constructed, before anything enters it. */
  readonly constructed?: (agent: object) => void;
};

/** A class with one driver laid over it: the harnesses of the kit. An object's name says which trial it is of. */
export function underTrial<Agent extends object>(
  Base: AgentClass<Agent>,
  driver: Driver<Agent>,
): ObjectClass {
  return layOver<SubjectEnv>(Base, (ctx, env) => {
    const { trial } = parseObjectName(ctx.id);
    const activation = new Activation({ ctx, env, trial, host: driver.host() });
    const ledgerTools = {
      ledger: ledgerOf(env, trial),
      identify: () => activation.identify(),
      key: () => KeySource.parse(activation.readSetting("key") ?? "scenario"),
    };
    const note = (name: string, record: RecordDraft) => ctx.waitUntil(activation.note(name, record));
    let subject: DrivenSubject<Agent> | undefined;
    return {
      life: activation,
      environment: { ...env, TRIAL: { trial, activation: activation.id, ledgerTools, note } },
      answer(agent, request) {
        if (!isOfTheProtocol(request)) return null;
        subject ??= new DrivenSubject(ctx, activation, driver, agent as Agent);
        return serveCounted(request, subject, activation);
      },
    };
  }) as ObjectClass;
}

/** Whether a request is one of the subject protocol, to an object. */
export function isOfTheProtocol(request: Request): boolean {
  return new URL(request.url).pathname.startsWith("/subjects/");
}

type Constructed<Env> = new (ctx: DurableObjectState, env: Env) => object;

/** Lays over a class what `lay` says of each instance. */
export function layOver<Env>(
  // What an author's class asks of its environment is between her and her configuration.
  Base: new (ctx: DurableObjectState, env: never) => object,
  lay: (ctx: DurableObjectState, env: Env) => Laid,
): Constructed<Env> {
  return new Proxy(Base as Constructed<unknown>, {
    construct(target, [ctx, env]: [DurableObjectState, Env]) {
      const { life, environment, answer, constructed } = lay(ctx, env);
      watchConstruction(ctx, life);
      watchBackground(ctx, life);
      let agent: object;
      try {
        agent = asWorkOf(life, () => new target(ctx, environment));
      } catch (error) {
        return unborn(ctx, life, error);
      }
      constructed?.(agent);
      const announced = async (cause: ActivationCause) => {
        life.enteredBy(cause);
        await life.begin().catch(async (error: unknown) => {
          await life.failed(error);
          throw error;
        });
      };
      wrap(agent, "fetch", (own) => async (request) => {
        await announced("fetch");
        return asWorkOf(life, async () => {
          const answered = request instanceof Request ? answer(agent, request) : null;
          if (answered !== null) return answered;
          try {
            return await own(request);
          } catch (error) {
            life.uncaught("fetch", error, () => false);
            throw error;
          }
        });
      });
      for (const [name, cause] of EVENTS)
        wrap(agent, name, (own) => async (...event) => {
          await announced(cause);
          try {
            return await asWorkOf(life, () => own(...event));
          } catch (error) {
            await life.failed(error);
            throw error;
          }
        });
      return agent;
    },
  }) as Constructed<Env>;
}

/** Handlers beside `fetch` by which the runtime enters an object, and what that is called. */
const EVENTS = [
  ["alarm", "alarm"],
  ["webSocketMessage", "websocket"],
  ["webSocketClose", "websocket"],
  ["webSocketError", "websocket"],
] as const satisfies readonly (readonly [string, ActivationCause])[];

/**
 * In place of an object whose constructor threw. Whenever the runtime enters it, it says so and is gone with the constructor's
 * own error, so that the runtime constructs anew at the next try, as it would without the kit.
 */
function unborn(ctx: DurableObjectState, life: Life, error: unknown): object {
  const enter = (cause: ActivationCause) => async () => {
    life.enteredBy(cause);
    // What keeps it from being counted may be what the constructor met: a storage that cannot be read.
    await life.begin().catch(() => undefined);
    await life.failed(error);
    ctx.abort(error instanceof Error ? error.message : String(error));
    throw error;
  };
  return { fetch: enter("fetch"), alarm: enter("alarm") };
}

/**
 * What a constructor lets nobody in before is a part of it: most migrations run there. Where it throws, the runtime ends the
 * object without a word to its handlers, so it is told here.
 */
function watchConstruction(ctx: DurableObjectState, life: Life): void {
  const block = ctx.blockConcurrencyWhile.bind(ctx);
  const value = <T>(work: () => Promise<T>): Promise<T> =>
    block(async () => {
      try {
        return await work();
      } catch (error) {
        await life.failed(error);
        throw error;
      }
    });
  if (Reflect.defineProperty(ctx, "blockConcurrencyWhile", { value, configurable: true })) return;
  console.warn("what the object's constructor waits for is not watched");
}

/** What the runtime is to wait for may fail without anybody being told but the runtime. */
function watchBackground(ctx: DurableObjectState, life: Life): void {
  const wait = ctx.waitUntil.bind(ctx);
  const value = (work: Promise<unknown>): void => {
    wait(work);
    if (work instanceof Promise)
      work.catch((error: unknown) => life.uncaught("wait-until", error, () => false));
  };
  if (Reflect.defineProperty(ctx, "waitUntil", { value, configurable: true })) return;
  console.warn("what the object leaves in the background is not watched");
}

/** A method that the class does not have is not added: whether it has one is for the runtime to see. */
function wrap(agent: object, name: string, around: (own: Handler) => Handler): void {
  const own: unknown = Reflect.get(agent, name);
  if (typeof own !== "function") return;
  const value = around((...args) => Reflect.apply(own, agent, args));
  if (Reflect.defineProperty(agent, name, { value, configurable: true })) return;
  console.warn(`${agent.constructor.name} lets nobody wrap its ${name}: the kit neither sees nor reaches it`);
}
