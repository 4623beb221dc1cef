/**
 * Lays the kit over a Durable Object class from outside. The class is constructed as it is; then `fetch` and `alarm` are
 * wrapped on the instance, where it has them, and what its code throws and nobody catches is told. Before a handler of the class runs, its activation is counted and announced;
 * requests of the subject protocol are answered through the driver, and everything else reaches the class unchanged.
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
import { asWorkOf } from "./uncaught.ts";

type Handler = (...args: unknown[]) => unknown;

export function underTrial<Agent extends object>(
  Base: AgentClass<Agent>,
  driver: Driver<Agent>,
): ObjectClass {
  const trapped = new Proxy<AgentClass<Agent>>(Base, {
    construct(target, [ctx, env]: [DurableObjectState, SubjectEnv]) {
      const { trial } = parseObjectName(ctx.id);
      const activation = new Activation({ ctx, env, trial, host: driver.host() });
      const ledgerTools = {
        ledger: ledgerOf(env, trial),
        identify: () => activation.identify(),
        key: () => KeySource.parse(activation.readSetting("key") ?? "scenario"),
      };
      const note = (name: string, record: RecordDraft) => ctx.waitUntil(activation.note(name, record));
      const environment = { ...env, TRIAL: { trial, activation: activation.id, ledgerTools, note } };
      watchConstruction(ctx, activation);
      watchBackground(ctx, activation);
      let agent: Agent;
      try {
        agent = asWorkOf(activation, () => new target(ctx, environment));
      } catch (error) {
        return unborn(ctx, activation, error);
      }
      const subject = new DrivenSubject(ctx, activation, driver, agent);
      const announced = async (cause: ActivationCause) => {
        activation.enteredBy(cause);
        await activation.begin().catch(async (error: unknown) => {
          await activation.failed(error);
          throw error;
        });
      };
      wrap(agent, "fetch", (own) => async (request) => {
        await announced("fetch");
        return asWorkOf(activation, async () => {
          if (isOfTheProtocol(request)) return serveCounted(request, subject, activation);
          try {
            return await own(request);
          } catch (error) {
            activation.uncaught("fetch", error);
            throw error;
          }
        });
      });
      wrap(agent, "alarm", (own) => async (info) => {
        await announced("alarm");
        try {
          return await asWorkOf(activation, () => own(info));
        } catch (error) {
          await activation.failed(error);
          throw error;
        }
      });
      return agent;
    },
  });
  // The trap takes the Worker's own environment, and adds what the class is written for.
  return trapped as unknown as ObjectClass;
}

/**
 * In place of an object whose constructor threw. Whenever the runtime enters it, it says so and is gone with the constructor's
 * own error, so that the runtime constructs anew at the next try, as it would without the kit.
 */
function unborn(ctx: DurableObjectState, activation: Activation, error: unknown): object {
  const enter = (cause: ActivationCause) => async () => {
    activation.enteredBy(cause);
    // What keeps it from being counted may be what the constructor met: a storage that cannot be read.
    await activation.begin().catch(() => undefined);
    await activation.failed(error);
    ctx.abort(error instanceof Error ? error.message : String(error));
    throw error;
  };
  return { fetch: enter("fetch"), alarm: enter("alarm") };
}

/**
 * What a constructor lets nobody in before is a part of it: most migrations run there. Where it throws, the runtime ends the
 * object without a word to its handlers, so it is told here.
 */
function watchConstruction(ctx: DurableObjectState, activation: Activation): void {
  const block = ctx.blockConcurrencyWhile.bind(ctx);
  const value = <T>(work: () => Promise<T>): Promise<T> =>
    block(async () => {
      try {
        return await work();
      } catch (error) {
        await activation.failed(error);
        throw error;
      }
    });
  if (Reflect.defineProperty(ctx, "blockConcurrencyWhile", { value, configurable: true })) return;
  console.warn("what the object's constructor waits for is not watched");
}

/** What the runtime is to wait for may fail without anybody being told but the runtime. */
function watchBackground(ctx: DurableObjectState, activation: Activation): void {
  const wait = ctx.waitUntil.bind(ctx);
  const value = (work: Promise<unknown>): void => {
    wait(work);
    if (work instanceof Promise) work.catch((error: unknown) => activation.uncaught("wait-until", error));
  };
  if (Reflect.defineProperty(ctx, "waitUntil", { value, configurable: true })) return;
  console.warn("what the object leaves in the background is not watched");
}

/** A method that the class does not have is not added: whether it has one is for the runtime to see. */
function wrap(agent: object, name: "fetch" | "alarm", around: (own: Handler) => Handler): void {
  const own: unknown = Reflect.get(agent, name);
  if (typeof own !== "function") return;
  const value = around((...args) => Reflect.apply(own, agent, args));
  if (Reflect.defineProperty(agent, name, { value, configurable: true })) return;
  console.warn(`${agent.constructor.name} lets nobody wrap its ${name}: the kit neither sees nor reaches it`);
}

function isOfTheProtocol(request: unknown): request is Request {
  return request instanceof Request && new URL(request.url).pathname.startsWith("/subjects/");
}
