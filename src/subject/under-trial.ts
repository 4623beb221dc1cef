/**
 * Lays the kit over a Durable Object class from outside. The class is constructed as it is; then `fetch` and `alarm` are
 * wrapped on the instance, where it has them. Before a handler of the class runs, its activation is counted and announced;
 * requests of the subject protocol are answered through the driver, and everything else reaches the class unchanged.
 *
 * A construct trap and no subclass: `Lifecycle.install` skips a handler that its host has already, `Agent` refuses a class
 * that overrides what it inherits, and a class without an alarm must not get one.
 */
import { KeySource } from "../trace/levels.ts";
import { Activation, type ActivationCause } from "./activation.ts";
import { DrivenSubject } from "./driven-subject.ts";
import type { Driver } from "./driver.ts";
import { ledgerOf } from "./links.ts";
import type { AgentClass, ObjectClass } from "./object-class.ts";
import { parseObjectName } from "./object-name.ts";
import { serveRequest } from "./serve-request.ts";
import type { SubjectEnv } from "./subject-env.ts";

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
      const agent = new target(ctx, { ...env, TRIAL: { trial, activation: activation.id, ledgerTools } });
      const subject = new DrivenSubject(ctx, activation, driver, agent);
      const announced = async (cause: ActivationCause) => {
        activation.enteredBy(cause);
        await activation.begin();
      };
      wrap(agent, "fetch", (own) => async (request) => {
        await announced("fetch");
        return isOfTheProtocol(request) ? serveRequest(request, subject) : own(request);
      });
      wrap(agent, "alarm", (own) => async (info) => {
        await announced("alarm");
        return own(info);
      });
      return agent;
    },
  });
  // The trap takes the Worker's own environment, and adds what the class is written for.
  return trapped as unknown as ObjectClass;
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
